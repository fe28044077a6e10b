import { type Fields, isFields } from "../acp/checks.ts";
import { type PathPlace, pathsOfBlock, pathsOfRequest, pathsOfUpdate } from "../acp/path-places.ts";
import type { Edit, Way } from "../wire/splice.ts";
import { fileUri } from "./file-uri.ts";
import type { PathMap } from "./path-map.ts";

/** The changes that make an update of the agent's one for clients. `at`: where it stands in the line. */
export const updateEdits = (map: PathMap, update: Fields, at: Way): Edit[] =>
  editsFor(map, pathsOfUpdate(update), at);

/** The changes that make a request of the agent's one for clients. */
export const requestEdits = (map: PathMap, method: string, params: Fields): Edit[] =>
  editsFor(map, pathsOfRequest(method, params), ["params"]);

function editsFor(map: PathMap, places: readonly PathPlace[], at: Way): Edit[] {
  return places.flatMap(({ way, text, is }): Edit[] => {
    const mapped = is === "path" ? map.toClient(text) : fileUri(text, (path) => map.passage(path, "agent"));
    return mapped === text ? [] : [{ path: [...at, ...way], json: JSON.stringify(mapped) }];
  });
}

/** A client's prompt as its agent gets it. */
export const blocksForAgent = (map: PathMap, blocks: readonly Fields[]): Fields[] =>
  blocks.map((block) => {
    const [place] = pathsOfBlock(block, []);
    if (place === undefined) return block;
    const uri = fileUri(place.text, (path) => map.passage(path, "client"));
    if (uri === place.text) return block;
    return block.type === "resource" && isFields(block.resource)
      ? { ...block, resource: { ...block.resource, uri } }
      : { ...block, uri };
  });
