// A checkpointer that a kill does not empty: LangGraph's own in memory, written to a file at each step.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { MemorySaver } from "@langchain/langgraph";

export class FileSaver extends MemorySaver {
  #file;

  constructor(file) {
    super();
    this.#file = file;
    try {
      const { storage, writes } = deserialize(readFileSync(file));
      this.storage = storage;
      this.writes = writes;
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
  }

  async put(...args) {
    const config = await super.put(...args);
    this.#keep();
    return config;
  }

  async putWrites(...args) {
    await super.putWrites(...args);
    this.#keep();
  }

  #keep() {
    writeFileSync(`${this.#file}.new`, serialize({ storage: this.storage, writes: this.writes }));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
