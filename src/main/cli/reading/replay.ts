import { once } from 'node:events'
import type { OperationInput } from '../../../shared/contract/index.ts'
import { formatEvent } from '../../../shared/event-text.ts'
import type { Client } from '../client.ts'
import { plain, shortIds } from '../table.ts'
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
  const id = (uuid: string) => (out.isTTY ? shortIds([uuid]).join('') : uuid)
  for await (const { items } of client.stream('events.replay', input)) {
    const lines = items.map((event) =>
      asJson
        ? JSON.stringify(event)
        : `${event.turn_id}.${event.seq}  ${toSecond(event.ts_wall)}  ${event.kind}  ${id(event.uuid)}  ${plain(formatEvent(event.kind, event.payload))}`,
    )
    if (lines.length > 0 && !out.write(`${asJson ? lines.join('\n') : wrapped(lines.join('\n'))}\n`))
      await once(out, 'drain')
  }
  return null
}
