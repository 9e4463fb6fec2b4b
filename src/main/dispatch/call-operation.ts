import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import type { Dispatch } from './dispatch.ts'
import type { CallContext } from './handlers.ts'

/** Runs a value operation for a part of the app itself. Returns the answer parsed and typed. */
export async function callOperation<Name extends OperationName>(
  dispatch: Pick<Dispatch, 'call'>,
  name: Name,
  input: OperationInput<Name>,
  context: CallContext,
): Promise<OperationOutput<Name>> {
  const json = await dispatch.call(name, input, context)
  return JSON.parse(new TextDecoder().decode(json)) as OperationOutput<Name>
}
