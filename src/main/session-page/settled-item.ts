import { settled } from '../store/identity/settled.ts'
import type { Exported } from './exported.ts'

/** Fields of an event's payload, by any source. */
export type Payload = { readonly [key: string]: unknown }

/** Returns an exported event with the best values of all its sources, as the window shows it. */
export function settledItem(item: Exported): Exported {
  // The contract calls the fields of recorded payloads unknown; they come from JSON.
  const sightings = item.sightings as Parameters<typeof settled>[1]
  return { ...item, event: settled(item.event, sightings) }
}
