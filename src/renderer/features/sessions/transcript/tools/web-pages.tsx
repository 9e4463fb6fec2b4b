import type { ReactNode } from 'react'
import type { Json } from '../../../../../shared/json.ts'
import { visibleText } from '../../../../../shared/visible-text.ts'
import { FirstOf } from '../../../../components/first-of.tsx'
import { ExternalLink, Markdown } from '../../../../components/markdown.tsx'
import { foundPages, outputText } from '../../../../../shared/tool-output.ts'
import { ToolOutput } from './tool-output-view.tsx'

interface WebPagesProps {
  readonly output: Json
  /** The output is about one page, so it is prose. */
  readonly isPage: boolean
}

/** The pages that a search found as links, or the text read from a page. */
export function WebPages({ output, isPage }: WebPagesProps): ReactNode {
  const pages = foundPages(output)
  if (pages.length === 0) {
    const text = outputText(output)
    return isPage && text.trim() !== '' ? <Markdown text={text} /> : <ToolOutput output={output} isLeftOut={false} />
  }
  const rest = typeof output === 'string' ? output.replace(/^Links: .*$/m, '').trim() : ''
  return (
    <>
      <FirstOf items={pages} noun="pages">
        {(shown) => (
          <ul className="my-1.5 flex flex-col gap-1" aria-label="Pages found">
            {shown.map(({ title, url }, at) => (
              <li key={at} className="min-w-0 text-small">
                <ExternalLink href={url}>{visibleText(title)}</ExternalLink>
                <span className="ml-2 text-meta wrap-anywhere text-faint">{hostOf(url)}</span>
              </li>
            ))}
          </ul>
        )}
      </FirstOf>
      {rest !== '' && <Markdown text={rest} />}
    </>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')
