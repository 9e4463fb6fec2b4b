import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { niceStep } from '../../../lib/axis.ts'

type Turn = OperationOutput<'sessions.usage'>['turns'][number]

/** A bar of the chart: one turn, or consecutive turns in a long session. */
export interface TurnBar {
  /** `7`, or `7–12`. */
  readonly name: string
  /** Its first turn. */
  readonly first: number
  readonly turns: number
  readonly cost_usd: number
  readonly tokens: number
  readonly calls: number
}

const MAX_BARS = 120

/** Groups turns into at most `MAX_BARS` bars, in order. */
export function turnBars(turns: readonly Turn[]): readonly TurnBar[] {
  const each = turns.length <= MAX_BARS ? 1 : niceStep(turns.length / MAX_BARS)
  const bars: TurnBar[] = []
  for (let at = 0; at < turns.length; at += each) {
    const some = turns.slice(at, at + each)
    const sum = (value: (turn: Turn) => number) => some.reduce((total, turn) => total + value(turn), 0)
    const [first, last] = [some[0]?.turn_id, some.at(-1)?.turn_id]
    bars.push({
      name: first === last ? String(first) : `${first}–${last}`,
      first: first ?? 0,
      turns: some.length,
      cost_usd: sum((turn) => turn.cost_usd ?? 0),
      tokens: sum((turn) => turn.tokens),
      calls: sum((turn) => turn.calls),
    })
  }
  return bars
}

/** Names the chart, with the turns of a bar if they are several. */
export function barsTitle(turns: readonly Turn[]): string {
  const each = turnBars(turns)[0]?.turns ?? 1
  return `Cost by turn${each === 1 ? '' : `, ${each} turns per bar`}`
}

/** Returns the number of the first call with the smaller context; the call that compacts still has the whole one. */
export function callAfter(calls: OperationOutput<'sessions.usage'>['context'], compactedAt: string): number {
  const next = calls.findIndex(({ timestamp }) => timestamp >= compactedAt)
  if (next < 0) return calls.length
  const size = (at: number): number => calls[at]?.context_tokens ?? Infinity
  const isCompacting = size(next) >= size(next - 1) && size(next + 1) < size(next)
  return next + (isCompacting ? 2 : 1)
}

/** Returns the turns up to the last one that made no request. `joined` turns are part of others. */
export function turnsWithout(turns: readonly Turn[], joined: readonly number[]): readonly number[] {
  const known = new Set([...turns.map(({ turn_id: turn }) => turn), ...joined])
  const last = Math.max(0, ...known)
  return Array.from({ length: last }, (_, at) => at + 1).filter((turn) => !known.has(turn))
}
