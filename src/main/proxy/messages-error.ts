import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRead } from './request-body.ts'

/** The types of the Messages API's errors that the proxy itself can answer with. */
type MessagesErrorType = 'api_error' | 'invalid_request_error' | 'permission_error'

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

/**
 * Answers with the error, all of it at once, and reads what the client still sends; only then the answer ends, since a
 * connection that is closed on unread bytes can take the answer with it. `isBodyWithheld`: the client waits to be told to
 * send its body. It will not send it after this, so that its connection is of no further use.
 */
export function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  error: MessagesError,
  isBodyWithheld: boolean,
): void {
  const body = messagesErrorBody(error)
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': body.byteLength,
    ...(isBodyWithheld ? { connection: 'close' } : {}),
  })
  response.write(body)
  endAfterRequest(request, response, isBodyWithheld)
}

/** Ends the answer when the request is read to its end, which this sees to. */
export function endAfterRequest(request: IncomingMessage, response: ServerResponse, isBodyWithheld: boolean): void {
  if (isBodyWithheld || isRead(request)) {
    response.end()
    return
  }
  request.once('end', () => response.end())
  request.resume()
}
