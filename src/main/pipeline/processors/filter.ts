import type { Config } from '../../../shared/config.ts'
import type { AnyEvent } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { PipelineStep } from '../pipeline.ts'
import { createGlob } from './glob.ts'
import { isSampled } from './sample.ts'

type FilterSettings = Config['filter']

/** Limit of remembered agents and calls. */
const MAX_REMEMBERED = 10_000

/** An identified event or a draft. */
type Filtered = AnyEvent | AnyDraft

/** Drops events that the settings exclude, before anything is stored. */
export interface Filter extends PipelineStep {
  /** Checks a draft as far as possible, so that dropped events do not reach the spool either. */
  dropsDraft(draft: AnyDraft): boolean
  /** Filters a request's block (as JSON): dropped tools and texts must not be stored in requests either. */
  block(json: string): string
}

/** Creates the filter of `[filter]`; null if it is empty. */
export function createFilter(settings: FilterSettings): Filter | null {
  const { drop_kinds, drop_projects, drop_agents, drop_tools, drop_texts, sample } = settings
  const lists = [drop_kinds, drop_projects, drop_agents, drop_tools, drop_texts, Object.keys(sample)]
  if (lists.every((list) => list.length === 0)) return null

  const kinds = new Set<string>(drop_kinds)
  const isProject = createGlob(drop_projects)
  const isTool = createGlob(drop_tools)
  const isAgentType = createGlob(drop_agents)
  const everyAgent = drop_agents.includes('*')
  const texts = drop_texts.map((text) => text.toLowerCase())
  const droppedAgents = boundedSet()
  const droppedCalls = boundedSet()

  const holdsText = (value: unknown) => texts.length > 0 && holds(value, texts)

  function isDroppedTool(event: Filtered): boolean {
    if (event.kind === 'file_seen') return droppedCalls.has(event.payload.call_id)
    if (event.kind !== 'tool_call' && event.kind !== 'tool_result') return false
    const { call_id, tool_name } = event.payload
    if (tool_name === null || !isTool(tool_name)) return droppedCalls.has(call_id)
    droppedCalls.add(call_id)
    return true
  }

  function isDroppedAgent(event: Filtered): boolean {
    if (event.kind === 'agent_started') {
      const { agent_id, agent_type } = event.payload
      if (agent_type !== null && isAgentType(agent_type)) droppedAgents.add(agent_id)
    }
    const agent =
      event.kind === 'agent_started' || event.kind === 'agent_ended' ? event.payload.agent_id : event.agent_id
    return agent !== null && (everyAgent || droppedAgents.has(agent))
  }

  function drops(event: Filtered): boolean {
    return (
      kinds.has(event.kind) ||
      (event.project != null && isProject(event.project)) ||
      (drop_agents.length > 0 && isDroppedAgent(event)) ||
      (drop_tools.length > 0 && isDroppedTool(event)) ||
      holdsText([event.payload, event.error_message]) ||
      !isSampled(event, sample[event.kind])
    )
  }

  function blockWithoutTool(json: string): string {
    if (drop_tools.length === 0 || !json.includes('tool_')) return json
    const block = JSON.parse(json) as { readonly [key: string]: unknown }
    const { id, name, type, tool_use_id: resultOf } = block
    if (typeof type !== 'string') return json
    if (type.endsWith('tool_use') && typeof name === 'string' && isTool(name)) {
      if (typeof id === 'string') droppedCalls.add(id)
      return JSON.stringify({ ...block, input: {} })
    }
    const isDropped = type.endsWith('tool_result') && typeof resultOf === 'string' && droppedCalls.has(resultOf)
    return isDropped ? JSON.stringify({ ...block, content: [] }) : json
  }

  return {
    name: 'filter',
    process: (event) => (drops(event) ? 'drop' : event),
    dropsDraft: drops,
    block(json) {
      if (!holdsText(json) && !(texts.length > 0 && holdsText(JSON.parse(json)))) return blockWithoutTool(json)
      return json.startsWith('{') ? '{"type":"text","text":"[filtered]"}' : '"[filtered]"'
    },
  }
}

function holds(value: unknown, texts: readonly string[]): boolean {
  if (typeof value === 'string') {
    const lower = value.toLowerCase()
    return texts.some((text) => lower.includes(text))
  }
  return typeof value === 'object' && value !== null && Object.values(value).some((inner) => holds(inner, texts))
}

function boundedSet(): { has(id: string): boolean; add(id: string): void } {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id)
      for (const oldest of ids) {
        if (ids.size <= MAX_REMEMBERED) break
        ids.delete(oldest)
      }
    },
  }
}
