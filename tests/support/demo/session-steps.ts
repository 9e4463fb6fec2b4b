import { naturalKey } from '../../../src/main/decode/draft.ts'
import { stepText, type Subject, thoughtText } from './coding-texts.ts'
import type { Random } from '../../../src/main/base/fixtures/random.ts'
import type { Line, SessionWriter, WrittenBlock, WrittenResponse } from './session-writer.ts'
import type { StoryCall } from './stories.ts'
import type { ToolStory } from './tool-stories.ts'

/** Estimates the tokens of a text. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 3.6)

/** Returns the thoughts and words of a story before its call. */
export function told({ thinking, says }: Pick<StoryCall, 'thinking' | 'says'>): WrittenBlock[] {
  return [
    ...(thinking === undefined ? [] : [{ kind: 'thinking' as const, text: thinking }]),
    ...(says === undefined ? [] : [{ kind: 'assistant_text' as const, text: says }]),
  ]
}

/** Returns the tool call of a story. */
export function toldCall({ tool, input, output, fails = false }: StoryCall, random: Random): ToolStory {
  return { name: tool, input, output, isError: fails, durationMs: random.skewed(4, tool === 'Bash' ? 20_000 : 300) }
}

/** Returns thoughts and words before a step, each with a chance. */
export function opening(random: Random, subject: Subject, thinks: number, speaks: number): WrittenBlock[] {
  const blocks: WrittenBlock[] = []
  if (random.chance(thinks)) blocks.push({ kind: 'thinking', text: thoughtText(random, subject, random.skewed(1, 14)) })
  if (random.chance(speaks)) blocks.push({ kind: 'assistant_text', text: stepText(random, subject) })
  return blocks
}

/** Writes a response with these blocks. */
export function respond(
  writer: SessionWriter,
  line: Line,
  blocks: readonly WrittenBlock[],
  facts: Pick<WrittenResponse, 'requestKind' | 'newTokens' | 'stopReason'>,
): void {
  const sizes = blocks.map((block) => tokensOf(block.kind === 'tool_call' ? JSON.stringify(block.input) : block.text))
  const thinking = blocks.reduce((sum, block, at) => sum + (block.kind === 'thinking' ? (sizes[at] ?? 0) : 0), 0)
  writer.exchange(line, {
    ...facts,
    blocks,
    outputTokens: sizes.reduce((sum, size) => sum + size, 0) + 8,
    thinkingTokens: thinking > 0 ? thinking : null,
  })
}

/** Writes the result of a call, and returns its key. */
export function writeResult(writer: SessionWriter, line: Line, callId: string, story: ToolStory): string {
  return writer.add(
    'tool_result',
    {
      call_id: callId,
      tool_name: story.name,
      output: story.output,
      is_error: story.isError,
      rejected: story.rejected ?? false,
    },
    {
      agent: line.agentId,
      duration_ms: story.durationMs,
      success: !story.isError,
      error_message: story.isError ? story.output.slice(0, 200) : null,
      keys: [naturalKey.result(callId)],
      parents: [naturalKey.call(callId)],
    },
  )
}
