import { ERRORS } from '../../../listings/errors.ts'
import { listPage } from './list-page.ts'
import type { TeamHandler } from './scope.ts'

/** Errors and, on request, failed tool calls, newest first. Messages are those of events that were sent in full. */
export const listErrors: TeamHandler<'errors.list'> = (context, input) =>
  listPage(context, ERRORS, input, {
    operation: 'errors.list',
    conditions: input.tools ? [] : [["e.kind = 'error'"]],
  })
