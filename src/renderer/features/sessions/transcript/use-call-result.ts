import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { AnyEvent, AspyEvent } from '../../../../shared/event.ts'
import { useOperation } from '../../../lib/operation.ts'

function resultAmong({ items }: OperationOutput<'events.children'>): AspyEvent<'tool_result'> | null {
  // An event of the log has the payload of its kind.
  const events = items as readonly unknown[] as readonly AnyEvent[]
  return events.find((event) => event.kind === 'tool_result') ?? null
}

/** Returns the logged result of a call, or null if none is recorded. `undefined`: not known yet, or no call. */
export function useResultOf(call: AspyEvent<'tool_call'> | null): AspyEvent<'tool_result'> | null | undefined {
  const input = { uuid: call?.uuid ?? '', limit: 20 }
  return useOperation('events.children', input, { enabled: call !== null, select: resultAmong }).data
}

/**
 * Returns the result of a call: the loaded one, or else the logged one from a page that is not loaded. `undefined`: not
 * known yet.
 */
export function useCallResult(
  call: AspyEvent<'tool_call'> | null,
  loaded: AspyEvent<'tool_result'> | null,
  mayBeLater: boolean,
): AspyEvent<'tool_result'> | null | undefined {
  const isElsewhere = call !== null && loaded === null && mayBeLater
  const result = useResultOf(isElsewhere ? call : null)
  return isElsewhere ? result : loaded
}
