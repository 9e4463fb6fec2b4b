import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRead } from './request-body.ts'

/** Error types of the Messages API that the proxy itself returns. */
type MessagesErrorType =
  | 'api_error'
  | 'billing_error'
  | 'invalid_request_error'
  | 'overloaded_error'
  | 'permission_error'

/** An error of the proxy itself, in the shape of the API's errors, so that clients can show it. */
export interface MessagesError {
  readonly status: number
  readonly type: MessagesErrorType
  /** Text that says what happened and what to check or do. */
  readonly message: string
  /** Another attempt would fail, too: the answer asks the client not to make one. */
  readonly isLasting?: boolean
  /** Set for a client of the Responses API: the error has the shape of that API, with this code. */
  readonly code?: string
}

export function messagesErrorBody({ type, message, code }: MessagesError): Buffer {
  const body =
    code === undefined ? { type: 'error', error: { type, message } } : { error: { message, type, param: null, code } }
  return Buffer.from(JSON.stringify(body))
}

/**
 * Writes the whole error, then reads the rest of the request before ending the response: closing a connection with unread bytes
 * can discard the response. `isBodyWithheld`: the client waits for 100 Continue. It will not send its body after an error, so
 * its connection cannot be reused.
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
    ...(error.isLasting === true ? { 'x-should-retry': 'false' } : {}),
    ...(isBodyWithheld ? { connection: 'close' } : {}),
  })
  response.write(body)
  endAfterRequest(request, response, isBodyWithheld)
}

/** Reads the request to its end, then ends the response. */
export function endAfterRequest(request: IncomingMessage, response: ServerResponse, isBodyWithheld: boolean): void {
  if (isBodyWithheld || isRead(request)) {
    response.end()
    return
  }
  request.once('end', () => response.end())
  request.resume()
}
