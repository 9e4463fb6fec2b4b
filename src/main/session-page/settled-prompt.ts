import type { Exported } from './exported.ts'

/** Fields of an event's payload, by any source. */
export type Payload = { readonly [key: string]: unknown }

/** Sources by their reliability for a person's typed text, best first. */
const TYPED: readonly string[] = ['transcript', 'hook', 'wire', 'api']

/** Returns a prompt's payload as settled from all of its sources: the words as typed, and who wrote them. */
export function settledPrompt({ event, sightings }: Exported): Payload {
  const own: Payload = event.payload
  const sighted = sightings.flatMap(({ source, session_id, payload }) =>
    payload !== null && session_id === event.session_id
      ? [{ source: String(source), payload: payload as Payload }]
      : [],
  )
  const texts = [{ source: String(event.source), payload: own }, ...sighted].filter(
    ({ payload }) => typeof payload['text'] === 'string',
  )
  const best = TYPED.flatMap((source) => texts.find((one) => one.source === source) ?? [])[0]
  const first = (name: string) => [own, ...sighted.map(({ payload }) => payload)].find((one) => one[name] !== undefined)
  return {
    ...own,
    text: best?.payload['text'] ?? own['text'],
    entered_as: first('entered_as')?.['entered_as'],
    not_a_prompt: first('not_a_prompt')?.['not_a_prompt'],
  }
}
