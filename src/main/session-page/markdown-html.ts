import type { Token, Tokens } from 'marked'
import { itemNumbers, tokensOf } from '../../shared/markdown-tokens.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { escaped, preformatted, shown } from './html-text.ts'

/** Deeper quotes, lists and emphasis are shown as written. */
const MAX_DEPTH = 20

/**
 * Formats Markdown from the lexer's tokens. Raw HTML appears as text, links as their text and address, images as their
 * description, so nothing can load or be followed.
 */
export function markdownHtml(whole: string): string {
  const { text, note } = shown(whole)
  const tokens = tokensOf(visibleText(text))
  return `<div class="markdown">${tokens === null ? preformatted(text) : blocks(tokens, 0)}</div>${note}`
}

const blocks = (tokens: readonly Token[], depth: number): string =>
  tokens.map((token) => block(token as Tokens.Generic, depth)).join('')

function block(token: Tokens.Generic, depth: number): string {
  if (depth >= MAX_DEPTH) return `<p>${escaped(token.raw)}</p>`
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return ''
    case 'heading':
      return `<h4 dir="auto">${inlines(token, depth)}</h4>`
    case 'code':
      return preformatted((token as Tokens.Code).text)
    case 'blockquote':
      return `<blockquote>${blocks(token.tokens ?? [], depth + 1)}</blockquote>`
    case 'list':
      return list(token as Tokens.List, depth)
    case 'table':
      return table(token as Tokens.Table, depth)
    case 'hr':
      return '<hr>'
    case 'def':
    case 'html':
      return `<p>${escaped(token.raw.trimEnd())}</p>`
    case 'text':
      return `<span dir="auto">${inlines(token, depth)}</span>`
    default:
      return `<p dir="auto">${inlines(token, depth)}</p>`
  }
}

function list(token: Tokens.List, depth: number): string {
  const { ordered, start, items } = token
  const numbers = itemNumbers(token)
  const rows = items.map(({ task, checked, tokens }, at) => {
    const box = task ? (checked === true ? '☑ ' : '☐ ') : ''
    const number = numbers[at] === undefined ? '' : ` value="${numbers[at]}"`
    return `<li${task ? ' class="task"' : ''}${number}>${box}${blocks(tokens, depth + 1)}</li>`
  })
  const first = ordered && typeof start === 'number' && start !== 1 ? ` start="${start}"` : ''
  return ordered ? `<ol${first}>${rows.join('')}</ol>` : `<ul>${rows.join('')}</ul>`
}

function table({ header, rows }: Tokens.Table, depth: number): string {
  const cells = (name: string, row: readonly Tokens.TableCell[]) =>
    `<tr>${row.map((cell) => `<${name}${cell.align === 'right' ? ' class="number"' : ''}>${inlines(cell, depth)}</${name}>`).join('')}</tr>`
  return `<div class="wide"><table>${cells('th', header)}${rows.map((row) => cells('td', row)).join('')}</table></div>`
}

function inlines(token: { readonly tokens?: readonly Token[]; readonly text?: string }, depth: number): string {
  if (!token.tokens || depth >= MAX_DEPTH) return escaped(token.text ?? '')
  return token.tokens.map((child) => inline(child as Tokens.Generic, depth + 1)).join('')
}

function inline(token: Tokens.Generic, depth: number): string {
  switch (token.type) {
    case 'strong':
    case 'em':
      return `<${token.type}>${inlines(token, depth)}</${token.type}>`
    case 'del':
      return `<s>${inlines(token, depth)}</s>`
    case 'codespan':
      return `<code>${escaped((token as Tokens.Codespan).text)}</code>`
    case 'br':
      return '<br>'
    case 'link': {
      const { href, text } = token as Tokens.Link
      return `${inlines(token, depth)}${href === text || href === `mailto:${text}` ? '' : ` <span class="address">(${escaped(href)})</span>`}`
    }
    case 'image': {
      const { text, href } = token as Tokens.Image
      return `<span class="address">[image: ${escaped(text || href)}]</span>`
    }
    case 'escape':
      return escaped((token as Tokens.Escape).text)
    default:
      return token.tokens ? inlines(token, depth) : escaped(token.raw)
  }
}
