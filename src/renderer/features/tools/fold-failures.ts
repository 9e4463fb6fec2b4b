import type { OperationOutput } from '../../../shared/contract/index.ts'

type Call = OperationOutput<'tools.list'>['items'][number]

/** A call, with how often the same tool failed with the same message. */
export interface FoldedCall extends Call {
  readonly times: number
}

/** Folds calls of a tool that failed with the same message, but for numbers, into the newest. Others stay as they are. */
export function foldFailures(calls: readonly Call[]): readonly FoldedCall[] {
  const folded = new Map<string, FoldedCall>()
  for (const call of calls) {
    const key = call.error === null ? call.uuid : `${call.tool_name} ${call.error.replaceAll(/\d+/g, '0')}`
    const newest = folded.get(key)
    folded.set(key, newest === undefined ? { ...call, times: 1 } : { ...newest, times: newest.times + 1 })
  }
  return [...folded.values()]
}
