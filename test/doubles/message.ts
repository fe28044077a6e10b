/** A JSON-RPC message as it came: nothing is taken for granted. */
export interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: ErrorBody;
}

export interface ErrorBody {
  code: number;
  message: string;
  data?: unknown;
}
