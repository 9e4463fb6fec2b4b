import type { Json, JsonObject } from '../../shared/event.ts'
import { imageHeader } from '../base/image-header.ts'

/**
 * Tokens for each character of a script. They decide how the tokens reported by the API are split among blocks, so only
 * their ratios matter.
 */
const LETTER = 0.235
const DIGIT = 0.45
const SIGN = 0.55
const SPACE = 0.08
const LINE_BREAK = 0.3
/** Accented Latin, Greek, Cyrillic, Hebrew, Arabic and other alphabets. */
const OTHER_LETTER = 0.45
/** Chinese, Japanese and Korean. */
const IDEOGRAPH = 0.95
/** Half of a character outside the basic plane, such as an emoji. */
const SURROGATE = 1.2

/** Tokens that the API adds around a block, a call or a tool. */
const BLOCK_TOKENS = 4
/** Pixels for one token, and the most tokens of an image: the API scales a larger one down. */
const PIXELS_A_TOKEN = 750
const MAX_IMAGE_TOKENS = 1600
/** Base64 characters read of an image: a JPEG may have long metadata before its size. */
const IMAGE_HEAD_CHARACTERS = 256 * 1024
/** An image whose size cannot be read. */
const USUAL_IMAGE_TOKENS = 1200
/** Bytes of a PDF for one token: it is sent as both text and page images. */
const DOCUMENT_BYTES_A_TOKEN = 40
/** A signature or encrypted thinking is base64 of the hidden text. */
const HIDDEN_CHARACTERS_A_TOKEN = 5
/** A longer text is estimated by its beginning. */
const MAX_CHARACTERS = 200_000

/** Estimates the tokens of a part of a request: a block, a system part or a tool. Never less than 1. */
export const estimateTokens = (part: Json): number => Math.max(1, Math.round(tokensOf(part)) + BLOCK_TOKENS)

/** Estimates the tokens of a text. */
export function textTokens(text: string): number {
  const read = Math.min(text.length, MAX_CHARACTERS)
  let tokens = 0
  for (let at = 0; at < read; at += 1) tokens += tokensOfUnit(text.charCodeAt(at))
  return read === 0 ? 0 : tokens * (text.length / read)
}

function tokensOfUnit(unit: number): number {
  if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)) return LETTER
  if (unit === 32 || unit === 9) return SPACE
  if (unit === 10 || unit === 13) return LINE_BREAK
  if (unit >= 48 && unit <= 57) return DIGIT
  if (unit < 128) return SIGN
  if (unit >= 0xd800 && unit <= 0xdfff) return SURROGATE
  if (unit >= 0x2e80 && unit <= 0xfaff) return IDEOGRAPH
  return OTHER_LETTER
}

function tokensOf(part: Json): number {
  if (typeof part === 'string') return textTokens(part)
  if (Array.isArray(part)) return (part as readonly Json[]).reduce((sum: number, item) => sum + tokensOf(item), 0)
  if (typeof part !== 'object' || part === null) return 1
  const block = part as JsonObject
  const { type, text, content } = block
  if (type === 'text' && typeof text === 'string') return textTokens(text)
  if (type === 'image') return imageTokens(block['source'])
  if (type === 'document') return documentTokens(block['source'])
  if (type === 'thinking' || type === 'redacted_thinking') return thinkingTokens(block)
  if (typeof type === 'string' && type.endsWith('tool_result') && content !== undefined) return tokensOf(content)
  return textTokens(JSON.stringify(part))
}

function thinkingTokens({ thinking, signature, data }: JsonObject): number {
  if (typeof thinking === 'string' && thinking !== '') return textTokens(thinking)
  const hidden = typeof signature === 'string' ? signature : data
  return typeof hidden === 'string' ? hidden.length / HIDDEN_CHARACTERS_A_TOKEN : 0
}

/** Width times height divided by 750 (documentation of vision). */
function imageTokens(source: Json | undefined): number {
  const data = dataOf(source)
  const size = data === null ? null : imageHeader(Buffer.from(data.slice(0, IMAGE_HEAD_CHARACTERS), 'base64'))
  if (size === null) return USUAL_IMAGE_TOKENS
  return Math.min(MAX_IMAGE_TOKENS, (size.width * size.height) / PIXELS_A_TOKEN)
}

function documentTokens(source: Json | undefined): number {
  const data = dataOf(source)
  if (data === null) return source === undefined ? 0 : textTokens(JSON.stringify(source))
  return (data.length * 0.75) / DOCUMENT_BYTES_A_TOKEN
}

function dataOf(source: Json | undefined): string | null {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return null
  const { type, data } = source as JsonObject
  return type === 'base64' && typeof data === 'string' ? data : null
}
