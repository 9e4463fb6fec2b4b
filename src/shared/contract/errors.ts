import { errorMessage } from '../error-text.ts'

/** Error codes that may cross a surface, with their HTTP status. */
export const ERROR_STATUS = {
  bad_input: 400,
  bad_query: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  cancelled: 499,
  internal: 500,
  unsupported: 501,
  busy: 503,
  /** Reported only by callers, when the app does not answer at all. */
  unreachable: 503,
  lifestats_off: 503,
  store_unavailable: 503,
  port_taken: 500,
  newer_database: 500,
  older_database: 500,
  already_running: 409,
} as const
export type ErrorCode = keyof typeof ERROR_STATUS

/** An error for people: its message says what happened and what to do. */
export class AspyError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AspyError'
    this.code = code
  }
}

/** An error as plain data, for HTTP, IPC and thread boundaries, where classes are lost. */
export interface ErrorAnswer {
  readonly code: ErrorCode
  readonly message: string
}

/** Converts anything thrown to plain data. Errors other than AspyError become `internal` and keep their message. */
export function toErrorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof AspyError) return { code: error.code, message: error.message }
  return { code: 'internal', message: errorMessage(error) }
}

/** Converts plain data back to an error that can be thrown. */
export const fromErrorAnswer = (answer: ErrorAnswer): AspyError => new AspyError(answer.code, answer.message)
