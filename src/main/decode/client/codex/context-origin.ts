import type { Json } from '../../../../shared/event.ts'
import { objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { isCompaction, partTexts } from '../../wire/openai-responses/items.ts'
import type { ContextOrigin } from '../context-origin.ts'
import { userInput } from './prompts.ts'

const INSTRUCTIONS = /^(?:<user_instructions>|# AGENTS\.md instructions(?: for ([^\n]{1,1000}))?)/
const SKILLS = /^<skills?(?:_instructions)?>/
const SKILL_NAME = /^<skill>\s*<name>([^<\n]{1,200})<\/name>/
const SUMMARY = /^Another language model started to solve this problem/

/** Says what an item of a request is: tools, instructions, and text by the client, the user and the model. */
export function contextOrigin(part: Json): ContextOrigin | null {
  const item = objectOf(part)
  const named = (origin: string, name: string | null = null): ContextOrigin => ({ origin, name })
  if (item['type'] === 'additional_tools') return named('tool_schema')
  if (item['type'] === 'reasoning') return named('thinking')
  if (isCompaction(item)) return named('summary')
  const role = stringOf(item['role'])
  if (item['type'] !== 'message' || role === null) return null
  if (role === 'assistant') return named('answer')
  const text = partTexts(item['content']).join('\n').trimStart()
  const instructions = INSTRUCTIONS.exec(text)
  if (instructions !== null) return named('claude_md', instructions[1] ?? null)
  if (SKILLS.test(text)) return named('skill', SKILL_NAME.exec(text)?.[1] ?? null)
  if (SUMMARY.test(text)) return named('summary')
  if (role !== 'user') return named('system_prompt')
  return named(userInput(item) === null ? 'reminder' : 'prompt')
}
