import type { ExportedEvent } from '../../../src/main/store/read/export.ts'

/**
 * Counts the events of an export by the documented rules, without the store's code: sums, the best sighting of each usage,
 * prompts by time, and lineage.
 */
export interface Recount {
  take(line: string): void
  result(): Recounted
}

export interface Recounted {
  readonly events: number
  /** By session. */
  readonly sessions: ReadonlyMap<string, SessionCounts>
  /** By `quarter|project|model`. */
  readonly rollups: ReadonlyMap<string, readonly number[]>
  /** Tokens of each usage event. */
  readonly usage: ReadonlyMap<string, number>
  /** Uuids of a session's prompts, by time. */
  readonly prompts: ReadonlyMap<string, readonly string[]>
  /** By event. */
  readonly lineage: ReadonlyMap<
    string,
    { readonly parent: string | null; readonly root: string; readonly depth: number }
  >
}

export interface SessionCounts {
  prompts: number
  tool_calls: number
  thinking_blocks: number
  errors: number
  turn_count: number
  total_tokens: number
  started_at: string
  last_event_at: string
}

interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation_input_tokens: number
}

interface Node {
  readonly uuid: string
  readonly commonFields: string | null
  readonly awaited: readonly string[]
}

export function createRecount(): Recount {
  const sessions = new Map<string, SessionCounts>()
  const rollups = new Map<string, number[]>()
  const usage = new Map<string, number>()
  const prompts = new Map<string, { readonly uuid: string; readonly at: string; readonly place: number }[]>()
  const owners = new Map<string, string>()
  const nodes: Node[] = []

  const add = (at: string, project: string | null, model: string, numbers: readonly number[]) => {
    const minute = Math.floor(Number(at.slice(14, 16)) / 15) * 15
    const key = `${at.slice(0, 14)}${String(minute).padStart(2, '0')}|${project ?? ''}|${model}`
    const sums = rollups.get(key) ?? numbers.map(() => 0)
    rollups.set(
      key,
      sums.map((sum, place) => sum + (numbers[place] ?? 0)),
    )
  }

  function countUsage(item: ExportedEvent, session: SessionCounts): void {
    const { event } = item
    const { usage: best, model } = bestTelling(item)
    const tokens = tokensOf(best)
    usage.set(event.uuid, tokens)
    session.total_tokens += tokens
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = best
    const sums = [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens]
    add(event.ts_wall, event.project, model, [1, ...sums, 0, 0, 0, 0])
  }

  return {
    take(line) {
      const item = JSON.parse(line) as ExportedEvent
      const { event, keys, parent_keys } = item
      const { session_id: id, ts_wall: at } = event
      const fresh = { prompts: 0, tool_calls: 0, thinking_blocks: 0, errors: 0, turn_count: 0, total_tokens: 0 }
      const session = sessions.get(id) ?? { ...fresh, started_at: at, last_event_at: at }
      sessions.set(id, session)
      session.turn_count = Math.max(session.turn_count, event.turn_id)
      if (at < session.started_at) session.started_at = at
      if (at > session.last_event_at) session.last_event_at = at
      const counted = [
        event.kind === 'user_prompt',
        event.kind === 'tool_call',
        event.kind === 'thinking' && event.payload['text'] !== '',
        event.kind === 'error',
      ].map(Number)
      const [asked = 0, called = 0, thought = 0, failed = 0] = counted
      session.prompts += asked
      session.tool_calls += called
      session.thinking_blocks += thought
      session.errors += failed
      if (asked + called + thought + failed > 0) add(at, event.project, '', [0, 0, 0, 0, 0, ...counted])
      if (event.kind === 'api_usage') countUsage(item, session)
      if (event.kind === 'user_prompt') {
        const list = prompts.get(id) ?? []
        prompts.set(id, list)
        list.push({ uuid: event.uuid, at, place: list.length })
      }
      for (const key of keys) owners.set(key, event.uuid)
      const isPrompt = event.kind === 'user_prompt'
      const awaited = isPrompt ? [] : parent_keys.toSorted((a, b) => a[1] - b[1]).map(([key]) => key)
      nodes.push({ uuid: event.uuid, commonFields: isPrompt ? null : event.parent_uuid, awaited })
    },
    result: () => ({
      events: nodes.length,
      sessions,
      rollups,
      usage,
      prompts: new Map(
        [...prompts].map(([id, list]) => [
          id,
          list.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.place - b.place)).map(({ uuid }) => uuid),
        ]),
      ),
      lineage: lineageOf(nodes, owners),
    }),
  }
}

const tokensOf = (usage: Usage): number =>
  usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens

/** Picks the best usage: the wire before the others, larger before smaller. */
function bestTelling({ event, sightings }: ExportedEvent): { readonly usage: Usage; readonly model: string } {
  const reports = [
    { source: event.source, payload: event.payload },
    ...sightings.flatMap(({ source, payload }) => (payload?.['usage'] ? [{ source, payload }] : [])),
  ].map(({ source, payload }) => ({
    isMeasured: payload['basis'] === 'measured' || (source === 'wire' && payload['basis'] !== 'lower_bound'),
    usage: payload['usage'] as Usage,
    model: String(payload['model']),
  }))
  const measured = reports.filter(({ isMeasured }) => isMeasured)
  const [first, ...rest] = measured.length > 0 ? measured : reports
  if (first === undefined) throw new Error(`${event.uuid} has no usage`)
  return rest.reduce((best, one) => (tokensOf(one.usage) > tokensOf(best.usage) ? one : best), first)
}

/** Finds the parent: the event with the first awaited key that exists, else the one named on arrival. */
function lineageOf(nodes: readonly Node[], owners: ReadonlyMap<string, string>): Recounted['lineage'] {
  const parents = new Map(
    nodes.map(({ uuid, commonFields, awaited }) => {
      const better = awaited.map((key) => owners.get(key)).find((owner) => owner !== undefined && owner !== uuid)
      return [uuid, better ?? commonFields]
    }),
  )
  const found = new Map<string, { parent: string | null; root: string; depth: number }>()
  for (const { uuid } of nodes) {
    const path: string[] = []
    let at = uuid
    for (let parent = parents.get(at); !found.has(at) && parent && parents.has(parent); parent = parents.get(at)) {
      path.push(at)
      at = parent
    }
    if (!found.has(at)) found.set(at, { parent: parents.get(at) ?? null, root: at, depth: 0 })
    for (const below of path.reverse()) {
      const parent = parents.get(below) ?? ''
      const above = found.get(parent)
      if (above) found.set(below, { parent, root: above.root, depth: above.depth + 1 })
    }
  }
  return found
}
