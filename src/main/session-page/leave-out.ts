import { AspyError } from '../../shared/contract/errors.ts'
import { PAGE_PARTS, type PagePart } from '../../shared/contract/session-page.ts'
import type { Exported } from './exported.ts'
import { withoutPaths } from './without-paths.ts'

type Payload = { readonly [key: string]: unknown }

/** Parses `--without tools,thinking`. Throws `bad_input` for an unknown part. */
export function partsOf(flag: string | undefined): ReadonlySet<PagePart> {
  const names = (flag ?? '').split(',').flatMap((name) => name.trim() || [])
  return new Set(
    names.map((name) => {
      const part = PAGE_PARTS.find((one) => one === name)
      if (part === undefined)
        throw new AspyError('bad_input', `unknown --without; choose from ${PAGE_PARTS.join(', ')}, separated by commas`)
      return part
    }),
  )
}

/** Returns an event without the chosen parts; null if nothing of it can be kept. */
export function withoutParts(item: Exported, parts: ReadonlySet<PagePart>): Exported | null {
  if (parts.size === 0) return item
  const { kind } = item.event
  // Raw data that Aspy could not read may contain any of the parts.
  if (kind === 'unknown') return null
  const payload = payloadWithout(kind, item.event.payload, parts)
  if (payload === null) return null
  const isChanged = payload !== item.event.payload
  const kept: Exported = {
    ...item,
    event: { ...item.event, payload, error_message: isChanged ? null : item.event.error_message },
    sightings: item.sightings.map((one) => ({
      ...one,
      payload: isChanged || one.payload === null ? null : payloadWithout(kind, one.payload, parts),
    })),
    // Blocks of requests repeat tool output, thinking and paths.
    contents: {},
  }
  return parts.has('paths') ? withoutPaths(kept, item.event.project) : kept
}

/** Returns the same object if it contains none of the parts. */
function payloadWithout(kind: string, payload: Payload, parts: ReadonlySet<PagePart>): Payload | null {
  switch (kind) {
    case 'model_request':
      return { ...payload, request: null }
    case 'thinking':
      return parts.has('thinking') ? { ...payload, text: '', left_out: true } : payload
    case 'tool_result': {
      if (!parts.has('tools')) return payload
      const { detail: _detail, media: _media, digest: _digest, ...rest } = payload
      return { ...rest, output: '', left_out: true }
    }
    case 'agent_ended':
      return parts.has('tools') ? { ...payload, last_text: null } : payload
    case 'notification':
      return parts.has('tools') && payload['level'] === 'command_output' ? null : payload
    case 'error': {
      const { body: _body, ...rest } = payload
      return rest
    }
    default:
      return payload
  }
}
