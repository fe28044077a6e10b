import { type Fields, isFields } from "./checks.ts";
import { invalidParams } from "./errors.ts";

/** What an agent said it can read in a prompt, beside text and links, which every agent can. */
export interface PromptCapabilities {
  image: boolean;
  audio: boolean;
  embeddedContext: boolean;
}

export function promptCapabilities(agentCapabilities: unknown): PromptCapabilities {
  const agent = isFields(agentCapabilities) ? agentCapabilities : {};
  const prompt = isFields(agent.promptCapabilities) ? agent.promptCapabilities : {};
  return {
    image: prompt.image === true,
    audio: prompt.audio === true,
    embeddedContext: prompt.embeddedContext === true,
  };
}

/** The blocks of a prompt. Throws -32602 naming the block that is none. */
export function promptBlocks(blocks: unknown[]): Fields[] {
  return blocks.map((block, index) => {
    if (!isFields(block) || typeof block.type !== "string") {
      throw invalidParams(`prompt[${index}] must be a content block with a type.`);
    }
    if (block.type === "text" && typeof block.text !== "string") {
      throw invalidParams(`prompt[${index}] is a text block without text.`);
    }
    return block;
  });
}

/**
 * What an agent gets of a prompt: an embedded resource becomes text where the agent lacks
 * `embeddedContext` (its text word for word, a blob as a link). Images and audio have no text: -32602.
 */
export function fitBlocks(blocks: readonly Fields[], agent: PromptCapabilities): Fields[] {
  return blocks.map((block, index) => {
    switch (block.type) {
      case "image":
      case "audio":
        if (agent[block.type]) return block;
        throw invalidParams(`prompt[${index}] is ${block.type}, which this slot's agent cannot take.`, {
          block: index,
          type: block.type,
        });
      case "resource":
        return agent.embeddedContext ? block : { type: "text", text: resourceText(block) };
      default:
        return block;
    }
  });
}

function resourceText(block: Fields): string {
  const resource = isFields(block.resource) ? block.resource : {};
  return typeof resource.text === "string" ? resource.text : linkTo(resource);
}

/** A link, or a resource, as Markdown has it; one without a name is called after the last part of its place. */
export function linkTo({ name, uri }: Fields): string {
  const place = typeof uri === "string" ? uri : "resource";
  return `[${typeof name === "string" ? name : lastSegment(place)}](${place})`;
}

const lastSegment = (uri: string): string => uri.split("/").filter(Boolean).at(-1) ?? uri;

/** A prompt's words, for a title or a transcript: texts as they are, links and resources as links. */
export function plainText(blocks: readonly Fields[]): string {
  return blocks
    .map((block) => {
      if (typeof block.text === "string") return block.text;
      if (block.type === "resource") return resourceText(block);
      if (block.type === "resource_link") return linkTo(block);
      return typeof block.type === "string" ? `[${block.type}]` : "";
    })
    .join("\n");
}
