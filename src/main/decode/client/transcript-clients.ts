import { claudeCodeTranscripts } from './claude-code/transcripts/transcript-files.ts'
import { codexTranscripts } from './codex/rollouts/rollout-files.ts'
import { copilotSessions } from './copilot-cli/sessions.ts'
import { kimiCodeSessions } from './kimi-code/sessions.ts'
import { piSessions } from './pi/sessions.ts'
import { qwenCodeChats } from './qwen-code/chats.ts'
import type { TranscriptClient } from './transcript-client.ts'

/**
 * All clients with transcripts. A file that no other client recognizes is read as one of the last client in the list.
 */
export const TRANSCRIPT_CLIENTS: readonly TranscriptClient[] = [
  codexTranscripts,
  piSessions,
  kimiCodeSessions,
  qwenCodeChats,
  copilotSessions,
  claudeCodeTranscripts,
]
