import type { Hit } from '../../../shared/contract/recall.ts'
import { copyText } from '../../components/copy-button.tsx'
import { call } from '../../lib/client.ts'
import { snippetText } from '../../lib/snippet.ts'
import { MATCH_LOOKS } from './match-type.tsx'

/** Copies the whole text of a hit; the list shows only an excerpt around the match. */
export async function copyHit(hit: Hit): Promise<void> {
  const text = await wholeText(hit.uuid)
  const name = MATCH_LOOKS[hit.match_type].label.toLowerCase()
  await copyText(text ?? snippetText(hit.content), `Copied the ${name} of this hit${text === null ? ', as shown' : ''}`)
}

/** Returns null if the event has no text of its own, such as a tool call, or cannot be read. */
async function wholeText(uuid: string): Promise<string | null> {
  try {
    const { payload } = await call('events.get', { uuid })
    const text = payload['text'] ?? payload['summary']
    return typeof text === 'string' && text !== '' ? text : null
  } catch {
    // The excerpt on screen is copied instead, and the notice says so.
    return null
  }
}
