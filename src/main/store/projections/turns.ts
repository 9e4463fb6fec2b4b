import type { AnyEvent } from '../../../shared/event.ts'
import { isAssumedEnd, isTakenBack } from '../identity/settled.ts'
import { insertInto } from '../schema/define-table.ts'
import { TABLES } from '../tables.ts'
import { addToTurn, GatheredTurns, type GatheredTurn } from './gathered-turns.ts'
import { JoinedTurns } from './joined-turns.ts'
import type { Projection } from './projection.ts'

/** Turns with their times, counts and cost; collected during a transaction, written once. */
export const turns: Projection = {
  name: 'turns',
  open({ prepare, tables: t }) {
    const upsert = prepare<[GatheredTurn]>(`${insertInto(t.turns, TABLES.turns)} ${addToTurn}`)
    const joined = new JoinedTurns(prepare, t)
    const gathered = new GatheredTurns()
    const inTurn = <E extends AnyEvent>(event: E): E => {
      const turn_id = joined.turnOf(event)
      return turn_id === event.turn_id ? event : { ...event, turn_id }
    }
    const flush = () => gathered.take().forEach((turn) => upsert.run(turn))
    return {
      apply(event) {
        gathered.count(inTurn(event))
      },
      applySighting(event, sighting, before) {
        const { source, session_id, seen_at } = sighting
        // A Stop hook refused the end that was recorded first, or it was assumed.
        const isLater = event.kind === 'turn_ended' && (source === 'wire' || isAssumedEnd(event))
        if (isLater && session_id === event.session_id) gathered.end(inTurn(event), seen_at)
        if (event.kind === 'user_prompt' && isTakenBack([sighting]) && !isTakenBack(before)) {
          flush()
          joined.join(event)
        }
      },
      change(event, was, is) {
        // A turn's row is deleted with its session.
        if (is === null) return
        const counted = inTurn(event)
        if (was !== null) gathered.add(counted, was, -1)
        gathered.add(counted, is, 1)
      },
      flush,
      discard() {
        gathered.take()
        joined.discard()
      },
    }
  },
}
