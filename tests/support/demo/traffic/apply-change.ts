import type { JsonObject } from '../../../../src/shared/event.ts'
import client from '../texts/client.json' with { type: 'json' }
import type { ClaudeSession } from './claude-session.ts'
import type { Change } from './script.ts'

/** Makes a session's next request differ from its last in one thing. `to` says to what, where there is a choice. */
export function applyChange(change: Change, to: string | undefined, session: ClaudeSession): void {
  const { main } = session
  const missed = (type: string) => (main.verdict = { cache_miss_reason: { type, cache_missed_input_tokens: 12_000 } })
  switch (change) {
    case 'tools':
      main.change({ tools: [...client.tools, ...client.lateTools] })
      missed('tools_changed')
      return
    case 'system':
      main.change({ system: edited(main.fields['system'], to ?? '') })
      missed('system_changed')
      return
    case 'messages':
      main.rewrite(main.messages.map((message, at) => (at === 0 ? withRule(message, to ?? '') : message)))
      missed('messages_changed')
      return
    case 'parameters':
      return main.change({ output_config: { effort: to ?? 'high' } })
    case 'betas':
      main.betas = [...main.betas, to ?? 'context-management-2025-06-27']
      return
    case 'speed':
      return main.change({ speed: to ?? 'fast' })
    case 'model':
      return main.change({ model: to ?? 'claude-sonnet-5-5' })
    case 'lifetime':
      main.lifetime = main.lifetime === '1h' ? '5m' : '1h'
      // An entry is found by the lifetime that it was written with.
      main.evict()
      return
    case 'resume':
      session.at += 90_000
      session.hook('SessionStart', { source: 'resume', model: String(main.fields['model']) })
      main.rewrite(main.messages.map((message, at) => (at === 0 ? withRule(message, to ?? '') : message)))
      return
    case 'provider':
      main.evict()
      main.verdict = null
  }
}

function edited(system: JsonObject[string] | undefined, line: string): JsonObject[string] {
  if (!Array.isArray(system)) return system ?? []
  return system.map((block, at) => (at === 2 ? { ...(block as JsonObject), text: `${textOf(block)}\n${line}` } : block))
}

/** The project's instructions are in the first block of the first message. */
function withRule(message: JsonObject, rule: string): JsonObject {
  const content = message['content'] as readonly JsonObject[]
  const changed = content.map((block, at) => {
    return at === 0
      ? { ...block, text: textOf(block).replace('\n\n      IMPORTANT', `\n- ${rule}\n\n      IMPORTANT`) }
      : block
  })
  return { ...message, content: changed }
}

const textOf = (block: JsonObject[string]): string => String((block as JsonObject)['text'])
