import type { Json, JsonObject } from '../../../../../shared/event.ts'
import type { AnyDraft } from '../../../draft.ts'
import { filledString, stringOf } from '../../../../../shared/json-fields.ts'

/** Lines of the conversation; the others are the client's own notes. */
const CONVERSATION: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment'])

/** Fields of these lines, as clients up to 2.1.332 write them (observed, or reported). */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  `agentColor agentId agentName agentSetting apiBlockIndex apiError apiErrorStatus apiErrorType attachment attributionAgent
   attributionMcpServer attributionMcpTool attributionPlugin attributionSkill cause classifierMetadata compactMetadata content
   cwd durationMs effort entrypoint error errorDetails failedHookErrorIndexes failedResponseHadNoToolCall forkedFrom gitBranch
   hasOutput hookAdditionalContext hookCount hookErrors hookInfos hookLabel hookText hookTextLead imagePasteIds interruptedMessageId
   isApiErrorMessage isCompactSummary isMeta isReplay isSidechain isVirtual isVisibleInTranscriptOnly level logicalParentUuid
   madeBy maxRetries mcpMeta message messageCount messageId microcompactMetadata origin ownNote ownNoteText parentToolUseID parentUuid
   permissionDecision permissionMode perTurnEffort planContent preventedContinuation promptCacheRequested promptId promptSource
   queuePriority queueSkipAttachments refusalRetry refusedMessageId rendered renderedBesideToolResult renderedRole repeatsCompactSummary requestId requestRef
   requestSessionId requestedModel research retryAttempt retryInMs rowSource sandboxed sentAtMs serverClassifierRequest sessionId session_id sessionKind slug snapshot source
   sourceToolAssistantUUID sourceToolUseID stopReason subtype summarizeMetadata teamName thinkingDisplay thinkingDurationMs
   thinkingMetadata timestamp todos toolDenialKind toolInputStreamMs toolUseID toolUseResult turnCompanion turnOrigin turnPosition
   type url userType uuid verb version`
    .trim()
    .split(/\s+/),
)

/**
 * Records the unknown parts of a line. An unknown block or type gets the client's version; unknown fields are stored
 * unchanged with the line's first draft and reported as `transcript:<type>.<field> (<version>)`.
 */
export function withDrift(
  drafts: AnyDraft[],
  line: JsonObject,
  onUnknownField: (what: string) => void = () => undefined,
): AnyDraft[] {
  const [first] = drafts
  if (!first) return drafts
  const version = filledString(line['version'])
  const marked = drafts.some(({ kind }) => kind === 'unknown')
    ? drafts.map((draft) => (draft.kind === 'unknown' ? writtenBy(draft, version) : draft))
    : drafts
  if (first.kind === 'unknown' || !CONVERSATION.has(line['type'])) return marked
  let unknown: Record<string, Json> | null = null
  for (const name of Object.keys(line)) {
    const value = KNOWN_FIELDS.has(name) ? undefined : line[name]
    if (value === undefined) continue
    unknown ??= {}
    unknown[name] = value
    onUnknownField(`transcript:${stringOf(line['type']) ?? 'none'}.${name}${version === null ? '' : ` (${version})`}`)
  }
  if (unknown === null) return marked
  const sighting = { ...first.sighting, unknown_fields: unknown }
  return [{ ...first, sighting }, ...marked.slice(1)]
}

function writtenBy(draft: AnyDraft, version: string | null): AnyDraft {
  if (draft.kind !== 'unknown' || version === null) return draft
  return { ...draft, payload: { ...draft.payload, client_version: version } }
}
