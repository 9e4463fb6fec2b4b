import { claudeCodeTranscripts } from './claude-code/transcripts/transcript-files.ts'
import { codexTranscripts } from './codex/rollouts/rollout-files.ts'
import type { TranscriptClient } from './transcript-client.ts'

/** All clients with transcripts. A file without a name or beginning of any other is read as one of the last. */
export const TRANSCRIPT_CLIENTS: readonly TranscriptClient[] = [codexTranscripts, claudeCodeTranscripts]
