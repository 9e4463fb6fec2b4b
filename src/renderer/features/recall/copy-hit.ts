import type { Hit } from '../../../shared/contract/recall.ts'
import { copyText } from '../../components/copy-button.tsx'
import { call } from '../../lib/client.ts'
import { snippetText } from '../../lib/snippet.ts'
import { MATCH_LOOKS } from './match-type.tsx'

/** Puts the whole text of a hit on the clipboard: what its list shows is only what stands around the match. */
export async function copyHit(hit: Hit): Promise<void> {
  const text = await wholeText(hit.uuid)
  const name = MATCH_LOOKS[hit.match_type].label.toLowerCase()
  await copyText(text ?? snippetText(hit.content), `Copied the ${name} of this hit${text === null ? ', as shown' : ''}`)
}

/** null: it has no one text (a tool's call), or could not be read. */
async function wholeText(uuid: string): Promise<string | null> {
  try {
    const { payload } = await call('events.get', { uuid })
    const text = payload['text'] ?? payload['summary']
    return typeof text === 'string' && text !== '' ? text : null
  } catch {
    // What is on screen can still be copied, and the notice says so.
    return null
  }
}
