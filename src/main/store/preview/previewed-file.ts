import type { AnyDraft, EventDraft } from '../../decode/draft.ts'

/** The kinds of events that a preview shows. */
export const PREVIEWED_KINDS = ['api_usage', 'user_prompt', 'agent_started', 'compaction'] as const

/** A draft of a kind that a preview shows, without its texts. */
export type PreviewDraft = EventDraft<(typeof PREVIEWED_KINDS)[number]> &
  Extract<AnyDraft, { readonly kind: (typeof PREVIEWED_KINDS)[number] }>

/** Facts about a session in a transcript. Redacted. */
export interface PreviewedSession {
  readonly session_id: string
  readonly project: string | null
  readonly git_branch: string | null
  readonly title: string | null
  /** 1: a prompt, 2: the client's title, 3: the person's own. */
  readonly title_rank: number
  readonly title_at: string | null
  readonly started_at: string
  readonly last_event_at: string
  readonly client: string
  readonly client_version: string | null
}

/** A part of an import's findings in a transcript before it is read whole. */
export interface PreviewedFile {
  readonly path: string
  readonly size: number
  readonly mtime_ms: number
  /** In the last part of a file. */
  readonly isWhole: boolean
  readonly drafts: readonly PreviewDraft[]
  /** In the last part of a file. */
  readonly sessions: readonly PreviewedSession[]
}

/** A change of the previews: parts of files, or files whose preview ends. */
export interface PreviewChange {
  readonly files?: readonly PreviewedFile[]
  /** Paths of files that were read whole, or no longer exist. */
  readonly end?: readonly string[]
}

export const isPreviewed = (draft: AnyDraft): draft is PreviewDraft =>
  PREVIEWED_KINDS.some((kind) => kind === draft.kind)
