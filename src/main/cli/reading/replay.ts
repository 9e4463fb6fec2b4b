import { once } from 'node:events'
import type { OperationInput } from '../../../shared/contract/index.ts'
import { formatEvent } from '../../../shared/event-text.ts'
import { eventLine } from '../../../shared/input-line.ts'
import type { Client } from '../client.ts'
import { plain, shownIds } from '../table.ts'
import { toSecond } from '../when.ts'
import { wrapped } from '../wrap.ts'

/** `aspy replay ID`: prints one line per event in the order of arrival; `--json` prints whole events. Reads in pages. */
export async function replay(
  client: Client,
  input: OperationInput<'events.replay'>,
  _own: object,
  asJson: boolean,
): Promise<null> {
  const out = process.stdout
  let isNone = true
  for await (const { items } of client.stream('events.replay', input)) {
    const lines = items.map((event) =>
      asJson
        ? JSON.stringify(event)
        : `${event.turn_id}.${event.seq}  ${toSecond(event.ts_wall)}  ${event.kind}  ${shownIds([event.uuid]).join('')}  ${plain(eventLine({ kind: event.kind, text: formatEvent(event.kind, event.payload) }))}`,
    )
    isNone &&= lines.length === 0
    if (lines.length > 0 && !out.write(`${asJson ? lines.join('\n') : wrapped(lines.join('\n'))}\n`))
      await once(out, 'drain')
  }
  if (isNone && !asJson) out.write('No matches.\n')
  return null
}
