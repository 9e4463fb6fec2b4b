import { firstCharacters } from '../../../shared/cut-text.ts'
import type { AnyEvent } from '../../../shared/event.ts'
import type { Correction } from '../../../shared/live-feed.ts'
import type { Sighting } from '../log/log.ts'
import { settled } from './settled.ts'

type Told = Pick<Sighting, 'source' | 'session_id' | 'payload'>

const MAX_TEXT_CHARACTERS = 500

/** Returns the change that another sighting makes to a prompt that people may have seen: who wrote it, or the words. */
export function correctionOf(event: AnyEvent, sighting: Told, before: readonly Told[]): Correction | null {
  if (event.kind !== 'user_prompt') return null
  const was = settled(event, before).payload
  const is = settled(event, [...before, sighting]).payload
  if (was.text === is.text && was.not_a_prompt === is.not_a_prompt) return null
  return {
    uuid: event.uuid,
    session_id: event.session_id,
    turn_id: event.turn_id,
    is_prompt: is.not_a_prompt !== true,
    text: firstCharacters(is.text, MAX_TEXT_CHARACTERS),
  }
}
