import type { ServerResponse } from 'node:http'

/** The types of the Messages API's errors that the proxy itself can answer with. */
export type MessagesErrorType = 'api_error' | 'invalid_request_error' | 'permission_error'

/** An answer of the proxy's own, in the shape of the Messages API's errors, so that its clients can show it. */
export interface MessagesError {
  readonly status: number
  readonly type: MessagesErrorType
  /** What happened, and what to check or do. */
  readonly message: string
}

export function messagesErrorBody({ type, message }: MessagesError): Buffer {
  return Buffer.from(JSON.stringify({ type: 'error', error: { type, message } }))
}

/** Answers with the error; `close` ends the connection after it. */
export function answerError(response: ServerResponse, error: MessagesError, close = false): void {
  const body = messagesErrorBody(error)
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': body.byteLength,
    ...(close ? { connection: 'close' } : {}),
  })
  response.end(body)
}
