/** ACP's content blocks, as prompts and messages hold them. Fields that are not named here come along as they are. */
export type ContentBlock =
  | TextBlock
  | MediaBlock<"image">
  | MediaBlock<"audio">
  | ResourceBlock
  | ResourceLinkBlock
  | (Extra & { type: string & {} });

interface Extra {
  annotations?: unknown;
  _meta?: unknown;
  [field: string]: unknown;
}

export interface TextBlock extends Extra {
  type: "text";
  text: string;
}

export interface MediaBlock<Type extends "image" | "audio"> extends Extra {
  type: Type;
  /** Base64. */
  data: string;
  mimeType: string;
  uri?: string;
}

export interface ResourceBlock extends Extra {
  type: "resource";
  resource: Resource;
}

/** An embedded file: `text`, or `blob` in base64. */
export interface Resource extends Extra {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

export interface ResourceLinkBlock extends Extra {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
}
