import { claudeCodeTranscripts } from './claude-code/transcripts/transcript-files.ts'
import { codexTranscripts } from './codex/rollouts/rollout-files.ts'
import type { TranscriptClient } from './transcript-client.ts'

/**
 * All clients with transcripts. A file that no other client recognizes is read as one of the last client in the list.
 */
export const TRANSCRIPT_CLIENTS: readonly TranscriptClient[] = [codexTranscripts, claudeCodeTranscripts]
