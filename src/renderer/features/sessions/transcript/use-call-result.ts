import { useQuery } from '@tanstack/react-query'
import type { AspyEvent } from '../../../../shared/event.ts'
import { resultQuery } from '../event-queries.ts'

/**
 * Returns the result of a call: the loaded one, or else the one that the log has on a page that is not loaded. `undefined`: not
 * known yet.
 */
export function useCallResult(
  call: AspyEvent<'tool_call'> | null,
  loaded: AspyEvent<'tool_result'> | null,
  mayBeLater: boolean,
): AspyEvent<'tool_result'> | null | undefined {
  const isElsewhere = call !== null && loaded === null && mayBeLater
  const { data } = useQuery({ ...resultQuery(call?.uuid ?? ''), enabled: isElsewhere })
  return isElsewhere ? data : loaded
}
