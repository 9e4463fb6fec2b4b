import { Square, SquareCheck } from 'lucide-react'
import type { Token, Tokens } from 'marked'
import { Fragment, memo, type ReactNode, useMemo, useState } from 'react'
import { visibleText } from '../../shared/visible-text.ts'
import { itemNumbers, tokensOf } from '../../shared/markdown-tokens.ts'
import { CodeBlock } from './code-block.tsx'
import { ShowRest, useCutText } from './cut-text.tsx'
import { ScrollRegion } from './scroll-region.tsx'

/** Deeper quotes, lists and emphasis are shown as written: a browser cannot lay out thousands of levels. */
const MAX_DEPTH = 20

/**
 * Renders Markdown as React elements from the lexer's tokens; no HTML string is ever built. Raw HTML appears as text,
 * images as their description, and only http, https and mailto links are clickable.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const { shown: start, rest } = useCutText(text)
  const shown = visibleText(start)
  const tokens = useMemo(() => tokensOf(shown), [shown])
  const [isWhole, setWhole] = useState(false)
  if (tokens === null)
    return (
      <>
        <p className="traffic wrap-anywhere">{shown}</p>
        {rest}
      </>
    )
  return (
    <div className="markdown flex flex-col gap-2.5 wrap-anywhere">
      {blocks(isWhole ? tokens : tokens.slice(0, MAX_BLOCKS), 0)}
      {!isWhole && tokens.length > MAX_BLOCKS ? (
        <ShowRest shown={MAX_BLOCKS} all={tokens.length} noun="paragraphs" onClick={() => setWhole(true)} />
      ) : (
        rest
      )}
    </div>
  )
})

/** Paragraphs, lists, tables and the spaces between them that are rendered at first. */
const MAX_BLOCKS = 400
function blocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{block(token as Tokens.Generic, depth)}</Fragment>)
}

const HEADINGS: Readonly<Record<number, string>> = {
  1: 'text-title font-semibold mt-1',
  2: 'text-lead font-semibold mt-1',
}

function block(token: Tokens.Generic, depth: number): ReactNode {
  if (depth >= MAX_DEPTH) return <p className="traffic">{token.raw}</p>
  switch (token.type) {
    case 'space':
      return null
    case 'def':
      // What looks like the address of a link may be any record: `[key]: value`.
      return <p className="traffic">{token.raw.trimEnd()}</p>
    case 'heading':
      // The page has its own heading outline, so headings in an answer are only larger text.
      return (
        <p dir="auto" className={HEADINGS[(token as Tokens.Heading).depth] ?? 'font-semibold'}>
          {inlines(token)}
        </p>
      )
    case 'paragraph':
      return (
        <p dir="auto" className="traffic">
          {inlines(token)}
        </p>
      )
    case 'code':
      return (
        <CodeBlock
          code={(token as Tokens.Code).text}
          language={(token as Tokens.Code).lang?.split(/\s/)[0]}
          isLabeled
        />
      )
    case 'blockquote':
      return (
        <blockquote
          dir={directionOf(token.raw)}
          className="flex flex-col gap-2 border-s-2 border-line-strong ps-4 text-soft"
        >
          {blocks(token.tokens ?? [], depth + 1)}
        </blockquote>
      )
    case 'list':
      return <List list={token as Tokens.List} depth={depth + 1} />
    case 'table':
      return <Table table={token as Tokens.Table} />
    case 'hr':
      return <hr />
    case 'html':
      return <p className="traffic font-mono text-[0.85em] text-soft">{token.raw.trimEnd()}</p>
    default:
      return (
        <span dir="auto" className="traffic">
          {inlines(token)}
        </span>
      )
  }
}

function List({ list, depth }: { list: Tokens.List; depth: number }) {
  const numbers = itemNumbers(list)
  const items = list.items.map((item, index) => (
    <li key={index} value={numbers[index]} className={`ps-1 ${item.task ? 'relative list-none' : ''}`}>
      {item.task && <CheckBox isChecked={item.checked === true} />}
      {blocks(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        depth,
      )}
    </li>
  ))
  return list.ordered ? (
    <ol
      dir={directionOf(list.raw)}
      start={list.start === '' ? 1 : list.start}
      className="flex list-decimal flex-col gap-1 ps-6"
    >
      {items}
    </ol>
  ) : (
    <ul dir={directionOf(list.raw)} className="flex list-disc flex-col gap-1 ps-6">
      {items}
    </ul>
  )
}

/** A checkbox of a task list, instead of the bullet. */
function CheckBox({ isChecked }: { isChecked: boolean }) {
  const Icon = isChecked ? SquareCheck : Square
  return (
    <Icon
      className={`absolute -start-5 top-[0.2em] size-4 ${isChecked ? 'text-good' : 'text-faint'}`}
      role="img"
      aria-label={isChecked ? 'Done' : 'Not done'}
    />
  )
}

/** Text whose first letter, ignoring code, belongs to a right-to-left script. */
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u

/**
 * Returns the direction of a block that contains others: `dir="auto"` skips the content of elements with a direction.
 */
function directionOf(raw: string): 'rtl' | 'ltr' {
  return RIGHT_TO_LEFT.test(raw.slice(0, 2000).replaceAll(/`[^`]*`/g, '')) ? 'rtl' : 'ltr'
}

const ALIGNS = { left: 'text-left', center: 'text-center', right: 'text-right tabular-nums' } as const

/** Cells of a table that are rendered at first. */
const MAX_CELLS = 1000
const MIN_ROWS = 5

function Table({ table }: { table: Tokens.Table }) {
  const [isWhole, setWhole] = useState(false)
  const fit = Math.max(MIN_ROWS, Math.floor(MAX_CELLS / Math.max(1, table.header.length)))
  const rows = isWhole ? table.rows : table.rows.slice(0, fit)
  return (
    // Only a word too long for its cell is broken: if breaks were allowed anywhere, many columns would be one letter
    // wide.
    <ScrollRegion label="Table" role="group" className="fade-x wrap-break-word">
      <table className="my-1 border-collapse text-[0.95em]">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th
                key={index}
                dir="auto"
                className={`border-b border-line-strong px-3 py-1.5 font-semibold ${ALIGNS[cell.align ?? 'left']}`}
              >
                {inlines(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td
                  key={column}
                  dir="auto"
                  className={`border-b px-3 py-1.5 align-top ${cell.align === null ? '' : ALIGNS[cell.align]}`}
                >
                  {inlines(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ShowRest shown={rows.length} all={table.rows.length} noun="rows" onClick={() => setWhole(true)} />
    </ScrollRegion>
  )
}

function inlines(token: { readonly tokens?: readonly Token[]; readonly text?: string }, depth = 0): ReactNode {
  if (!token.tokens || depth >= MAX_DEPTH) return token.text ?? ''
  return token.tokens.map((child, index) => (
    <Fragment key={index}>{inline(child as Tokens.Generic, depth + 1)}</Fragment>
  ))
}

function inline(token: Tokens.Generic, depth: number): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inlines(token, depth)}</strong>
    case 'em':
      return <em>{inlines(token, depth)}</em>
    case 'del':
      return <del>{inlines(token, depth)}</del>
    case 'codespan':
      return (
        // Has its own direction, so that it is not reordered within a right-to-left line.
        <code dir="ltr" className="rounded-[0.25rem] bg-sunken px-1 py-0.5 font-mono text-[0.88em]">
          {token['text'] as string}
        </code>
      )
    case 'br':
      return <br />
    case 'link':
      return <ExternalLink href={(token as Tokens.Link).href}>{inlines(token, depth)}</ExternalLink>
    case 'image':
      return <span className="text-soft">[image: {(token as Tokens.Image).text || (token as Tokens.Image).href}]</span>
    case 'escape':
      return token['text'] as string
    case 'text':
      return token.tokens ? inlines(token, depth) : token.raw
    default:
      return token.raw
  }
}

/** Returns the address of a link if it is safe to open, else null. */
export function safeHref(href: string): string | null {
  try {
    const url = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
  } catch {
    // A relative address has no meaning here.
    return null
  }
}

/** A link that opens outside the window, if its address is safe. */
export function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeHref(href)
  if (safe === null)
    return (
      <span className="underline decoration-dotted" title={href}>
        {children}
      </span>
    )
  return (
    <a
      href={safe}
      target="_blank"
      rel="noreferrer noopener"
      title={safe}
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  )
}
