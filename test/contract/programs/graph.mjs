// A graph as an agent, played from a script; its threads are kept in the file that GRAPH_THREADS names.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { graphAgent, turnOf } from "acp-hall/graph";
import { FileSaver } from "../../doubles/file-saver.mjs";
import { playTurn } from "./module-turn.mjs";

const State = Annotation.Root({
  prompt: Annotation(),
  asked: Annotation({ reducer: (one, other) => [...one, ...other], default: () => [] }),
  _acp_session_id: Annotation(),
});

const graph = new StateGraph(State)
  .addNode("note", ({ prompt }) => ({ asked: [prompt] }))
  .addNode("play", async (state) => {
    await playTurn(turnOf(state), state.asked.join(" | "));
    return {};
  })
  .addEdge(START, "note")
  .addEdge("note", "play")
  .addEdge("play", END)
  .compile({ checkpointer: new FileSaver(process.env.GRAPH_THREADS) });

export default graphAgent(graph, { name: "played-graph" });
