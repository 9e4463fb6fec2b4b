import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { ERRORS } from '../../../listings/errors.ts'
import { listPage } from './list-page.ts'
import type { ReadContext } from './scope.ts'

/** Errors and, on request, failed tool calls, newest first. Messages are those of events that were sent in full. */
export function listErrors(
  context: ReadContext,
  input: ParsedInput<'errors.list'>,
): Promise<OperationOutput<'errors.list'>> {
  return listPage(context, ERRORS, input, {
    operation: 'errors.list',
    conditions: input.tools ? [] : [["e.kind = 'error'"]],
  })
}
