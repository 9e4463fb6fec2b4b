import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { AspyError, ERROR_STATUS, toErrorAnswer } from '../../../shared/contract/errors.ts'

/** Answers with anything thrown: `{"error": {"code", "message"}}` with the status of its code. */
export function errorResponse(context: Context, error: unknown): Response {
  const answer = toErrorAnswer(error)
  return context.json({ error: answer }, ERROR_STATUS[answer.code] as ContentfulStatusCode)
}

const SHOWN_CHARS = 200

/** Returns the error for an unknown address. */
export function unknownRoute(method: string, path: string): AspyError {
  const shown = path.length > SHOWN_CHARS ? `${path.slice(0, SHOWN_CHARS)}…` : path
  return new AspyError('not_found', `there is no ${method} ${shown}; /api/openapi.json lists the available ones`)
}
