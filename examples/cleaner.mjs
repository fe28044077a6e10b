// A graph that asks before it deletes: npm install @langchain/langgraph
// The interrupt is a question in the editor. With a checkpointer on disk in place of MemorySaver it waits over restarts.
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { graphAgent, turnOf } from "acp-hall/graph";

const State = Annotation.Root({
  prompt: Annotation(),
  response: Annotation(),
  found: Annotation(),
  _acp_session_id: Annotation(),
});

const graph = new StateGraph(State)
  .addNode("look", async (state) => {
    const turn = turnOf(state);
    await turn.think(`Looking for ${state.prompt}. `);
    return { found: state.prompt.split(/\s+/).filter((word) => word.includes(".")) };
  })
  .addNode("delete", ({ found }) => {
    if (found.length === 0) return { response: "There is nothing to delete." };
    const answer = interrupt({ reason: `Delete ${found.join(", ")}?`, files: found });
    return {
      response: answer === "approve" ? `Deleted ${found.join(", ")} (not really).` : "Nothing was deleted.",
    };
  })
  .addEdge(START, "look")
  .addEdge("look", "delete")
  .addEdge("delete", END)
  .compile({ checkpointer: new MemorySaver() });

export default graphAgent(graph, { name: "cleaner", title: "Cleaner" });
