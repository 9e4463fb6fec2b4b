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
