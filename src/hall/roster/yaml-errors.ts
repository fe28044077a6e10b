import type { ErrorCode } from "yaml";

/**
 * What each error of the YAML parser means to the person who wrote the file. The parser's own texts are not
 * used: some of them quote the file, and what stands there may be a key or a password.
 */
export const YAML_ERRORS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*name) has a tag or an anchor before it; take that out",
  BAD_ALIAS:
    "an alias (*name) needs its anchor (&name) before it, and not around it; a text that begins with * or & goes in quotes",
  BAD_COLLECTION_TYPE: "the tag does not fit what it stands before; take it out",
  BAD_DIRECTIVE: "a line that begins with % is not known here; take it out",
  BAD_DQ_ESCAPE: "a backslash in double quotes begins an unknown escape; write \\\\ or use single quotes",
  BAD_INDENT:
    "the indentation is wrong, or a bracket above is not closed; the keys of one map begin in the same column",
  BAD_PROP_ORDER: "a tag or an anchor stands in the wrong place; put it right before its value",
  BAD_SCALAR_START: "a value cannot begin with this character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a map or a list cannot begin on this line; begin a new line, or put a text with a colon in quotes",
  BLOCK_IN_FLOW: "this stands inside [ ] or { }; write it with brackets, braces and commas too",
  DUPLICATE_KEY: "the key is written twice in the same map; keep one of them",
  IMPOSSIBLE: "this is not YAML; write the line anew",
  KEY_OVER_1024_CHARS: "the key is longer than 1024 characters; shorten it",
  MISSING_CHAR:
    "a quote or bracket that closes, a comma, a colon, or the space after it is missing here; write it",
  MULTILINE_IMPLICIT_KEY: "a key does not end on its line; write the colon or the quote that is missing",
  MULTIPLE_ANCHORS: "a value has two anchors; keep one of them",
  MULTIPLE_DOCS: "a second document begins here; a roster is one document, take the --- out",
  MULTIPLE_TAGS: "a value has two tags; keep one of them",
  NON_STRING_KEY: "a key must be text; put it in quotes",
  RESOURCE_EXHAUSTION: "the maps and lists lie too deep inside one another; flatten them",
  TAB_AS_INDENT: "a tab indents this line; YAML is indented with spaces",
  TAG_RESOLVE_FAILED: "the tag (!name) is not known here; take it out, or put the text in quotes",
  UNEXPECTED_TOKEN: `this does not belong here; a text with { } [ ] , # : & * or \${…} in it goes in quotes`,
};
