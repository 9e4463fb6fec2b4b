import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { AspyError, ERROR_STATUS, toErrorAnswer } from '../../../shared/contract/errors.ts'

/** Anything thrown as the API answers it: `{"error": {"code", "message"}}` under the status of its code. */
export function errorResponse(context: Context, error: unknown): Response {
  const answer = toErrorAnswer(error)
  return context.json({ error: answer }, ERROR_STATUS[answer.code] as ContentfulStatusCode)
}

/** The answer to an address that nothing listens on. */
export function unknownRoute(method: string, path: string): AspyError {
  return new AspyError('not_found', `there is no ${method} ${path}; /api/openapi.json lists what there is`)
}
