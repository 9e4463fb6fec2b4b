import type { Json, JsonObject } from '../../../../../shared/event.ts'
import type { DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../draft.ts'
import { filledString, numberOf } from '../../../../../shared/json-fields.ts'
import type { HashText } from '../../../media.ts'
import { titleKey } from '../title.ts'

/** Line types that only repeat other lines or hold the client's own bookkeeping (observed, or reported). */
export const SILENT_TYPES: ReadonlySet<string> = new Set([
  'queue-operation',
  'last-prompt',
  'mode',
  'permission-mode',
  'tools-used',
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'atis-latch',
  'file-history-snapshot',
  'file-history-delta',
  'progress',
  'agent-name',
  'agent-color',
  'agent-setting',
  'bridge-session',
  'content-replacement',
  'marble-origami-commit',
  'marble-origami-snapshot',
  // In the program of 2.1.332: written again at each start.
  'repl-mode',
  'session-owner',
  'hybrid-organization',
  'isolation-latch',
  'dev-mods',
  'memory-mode',
  'data-flow-records',
  'data-flow-incomplete',
  'derived-from',
  'api-request-resumed',
  'started',
  'result',
])

/**
 * Decodes lines about the session that are not in its chain; null if the type is unknown. Keys contain their text only
 * as hashes.
 */
export function otherLineDrafts(
  base: DraftBase,
  line: JsonObject,
  lastUsage: readonly string[],
  hash: HashText,
): AnyDraft[] | null {
  switch (line['type']) {
    case 'cost-state':
      return [clientCost(base, line, lastUsage)]
    case 'ai-title':
    case 'custom-title': {
      const title = filledString(line['customTitle']) ?? filledString(line['aiTitle']) ?? filledString(line['title'])
      if (title === null) return null
      const name = line['type'] === 'custom-title' ? 'custom_title' : 'title'
      return [stateChange(base, name, title, titleKey(base.session_id, name, hash(title)))]
    }
    case 'pr-link': {
      const url = filledString(line['prUrl']) ?? filledString(line['url'])
      if (url === null) return null
      return [stateChange(base, 'pull_request', url, `pull-request:${base.session_id}:${hash(url)}`)]
    }
    case 'tag': {
      const tag = filledString(line['tag'])
      return tag === null ? [] : [stateChange(base, 'tag', tag, `tag:${base.session_id}:${hash(tag)}`)]
    }
    // 2.1.332: EnterWorktree and ExitWorktree move the session's file; each later start repeats the line.
    case 'relocated': {
      const folder = filledString(line['relocatedCwd'])
      if (folder === null) return null
      return [stateChange(base, 'relocated', folder, `relocated:${base.session_id}:${hash(folder)}`)]
    }
    case 'worktree-state':
      return [
        stateChange(
          base,
          'worktree',
          line['worktreeSession'] ?? null,
          `worktree:${base.session_id}:${hash(JSON.stringify(line))}`,
        ),
      ]
    default:
      return null
  }
}

/** Returns the title that a `summary` line gives to its leaf's session. */
export const summaryTitleDraft = (base: DraftBase, title: string, hash: HashText): AnyDraft =>
  stateChange(base, 'title', title, titleKey(base.session_id, 'title', hash(title)))

/** The client's own total for the session so far: not a fact of its own, but an addition to the earlier usages. */
function clientCost(base: DraftBase, line: JsonObject, lastUsage: readonly string[]): AnyDraft {
  const { type: _, sessionId: __, ...totals } = line
  const duration = numberOf(line['totalDuration']) ?? 0
  const cost = numberOf(line['totalCostUSD']) ?? 0
  return {
    ...stateChange(base, 'client_cost', totals, `cost-state:${base.session_id}:${duration}:${cost}`),
    sighting: { client_cost: totals },
    sighting_of: [...lastUsage, naturalKey.newestOf(base.session_id)],
  }
}

function stateChange(base: DraftBase, name: string, to: Json, key: string): AnyDraft {
  return { ...base, kind: 'state_change', payload: { name, to }, keys: [key], parents: [] }
}
