import { ChevronDown, ChevronUp, Download, Package } from 'lucide-react'
import { useState } from 'react'
import { loaded } from './loaded.tsx'
import { visibleText } from '../../shared/visible-text.ts'
import { call } from '../lib/client.ts'
import { saveFile } from '../lib/export-table.ts'
import { formatCount, plural } from '../lib/format.ts'
import { notify, notifyFailure } from '../lib/notices.ts'
import { packAsMarkdown, packFileName } from '../lib/pack-markdown.ts'
import { useOperation } from '../lib/operation.ts'
import { packToCopy } from '../lib/pack-to-copy.ts'
import { changePack, clearPack, type Pack, PACK_BUDGETS, packInput, usePack } from '../lib/pack-store.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { GiveButton, GiveMenu } from './give-button.tsx'
import { PackEntries } from './pack-entries.tsx'
import { Segments } from './segments.tsx'

interface PackDrawerProps {
  /** Below 800 px, only the size and the buttons show until the user opens it. */
  readonly folds?: boolean
  /** The session on screen, whose model can get the pack. Default: any running session. */
  readonly sessionId?: string
}

/** The pack of this tab: its hits to order and remove, its text to copy and download, its size. Hidden while empty. */
export function PackDrawer({ folds = false, sessionId }: PackDrawerProps) {
  const chosen = usePack()
  const [isOpen, setOpen] = useState(!folds)
  const input = packInput(chosen)
  const query = useOperation('recall.pack', input, { enabled: chosen.hits.length > 0 })
  const { data: pack, isPlaceholderData } = query
  if (chosen.hits.length === 0) return null
  const noun = chosen.wholeTurns ? 'text' : 'hit'
  const size = `about ${formatCount(pack?.tokens ?? 0)} tokens`
  // Just after a change, the screen still shows the previous pack.
  const current = async () => (pack === undefined || isPlaceholderData ? call('recall.pack', input) : pack)
  const copied = async () => packToCopy(chosen, { known: await current() })
  const download = async () => {
    saveFile(packFileName(chosen.title), packAsMarkdown((await current()).text, chosen.title))
    notify(`Downloaded the pack as ${packFileName(chosen.title)}`)
  }
  return (
    <aside
      aria-label="Pack"
      className={`flex min-h-0 w-[clamp(18rem,24vw,34rem)] flex-col border-l bg-surface ${isOpen ? 'max-[800px]:min-h-80' : 'max-[800px]:[&>:nth-child(n+3)]:hidden'}`}
    >
      <div className="flex items-center gap-2 px-5 pt-4 pb-2">
        <Package className="size-4 text-accent" aria-hidden />
        <h2 className="font-semibold" title="Checked texts, to paste into another session or to give to Claude">
          Pack
        </h2>
        <span className="text-meta text-faint" role="status">
          {plural(chosen.hits.length, 'hit')}
          {chosen.wholeTurns && pack && `, ${plural(pack.included, 'text')}`}
          {pack && ` · ${size}`}
        </span>
        <Button look="ghost" size="small" className="ml-auto" onClick={clearPack} title="Clear the pack (Esc)">
          Clear
        </Button>
        {folds && (
          <Button
            look="ghost"
            size="icon"
            aria-label={isOpen ? 'Show less of the pack' : 'Show the whole pack'}
            title={isOpen ? 'Show less of the pack' : 'Show the whole pack'}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="min-[800px]:hidden"
          >
            {isOpen ? <ChevronDown className="size-4" aria-hidden /> : <ChevronUp className="size-4" aria-hidden />}
          </Button>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2 px-5 pb-3" data-copy-pack>
        <CopyButton look="primary" label="Copy pack" load={copied} />
        {sessionId === undefined ? <GiveMenu pack={chosen} /> : <GiveButton sessionId={sessionId} pack={chosen} />}
        <Button
          onClick={() => void download().catch(notifyFailure)}
          title="Download as Markdown"
          disabled={pack === undefined}
        >
          <Download className="size-4" aria-hidden />
          Download
        </Button>
      </div>
      <PackOptions pack={chosen} />
      <PackEntries hits={chosen.hits} entries={pack?.entries ?? []} />
      {pack !== undefined && <PackNotes pack={pack} noun={noun} />}
      {loaded({ query, rows: 5 }, (pack) => (
        <pre
          // The keyboard scrolls the element that has the focus.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-label="Pack text"
          className={`traffic min-h-0 flex-1 overflow-y-auto border-t bg-sunken px-5 py-4 font-mono text-meta leading-relaxed ${isPlaceholderData ? 'awaited' : ''}`}
        >
          {visibleText(pack.text)}
        </pre>
      ))}
    </aside>
  )
}

function PackOptions({ pack }: { pack: Pack }) {
  return (
    <div className="flex flex-wrap items-center gap-2 px-5 pb-3">
      <input
        type="text"
        aria-label="Title of the pack"
        placeholder="Title"
        maxLength={200}
        value={pack.title}
        onChange={(event) => changePack(() => ({ title: event.target.value }))}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur()
        }}
        className="h-8 w-full rounded-small border border-line-strong bg-surface px-2.5 text-small text-ink placeholder:text-faint"
      />
      <Segments
        label="Pack content"
        options={[
          { value: 'hits', name: 'Texts', title: 'Only the checked texts' },
          { value: 'turns', name: 'Whole turns', title: 'The whole turn of each checked text' },
        ]}
        value={pack.wholeTurns ? 'turns' : 'hits'}
        onChange={(of) => changePack(() => ({ wholeTurns: of === 'turns' }))}
      />
      <label className="flex items-center gap-1.5 text-meta text-soft">
        <input
          type="checkbox"
          checked={pack.actions}
          onChange={(event) => changePack(() => ({ actions: event.target.checked }))}
          className="size-4 accent-accent"
        />
        Edits and commands
      </label>
      <select
        aria-label="Maximum pack size"
        value={pack.budget}
        onChange={(event) => changePack(() => ({ budget: Number(event.target.value) }))}
        className="ml-auto h-8 min-w-0 rounded-small border border-line-strong bg-surface px-2 text-meta text-soft"
      >
        {PACK_BUDGETS.map((tokens) => (
          <option key={tokens} value={tokens}>
            ≤ {tokens.toLocaleString('en-US')} tokens
          </option>
        ))}
      </select>
    </div>
  )
}

interface PackNotesProps {
  readonly pack: { readonly omitted: number; readonly missing: readonly string[] }
  readonly noun: string
}

function PackNotes({ pack, noun }: PackNotesProps) {
  const { omitted, missing } = pack
  return (
    <>
      {omitted > 0 && (
        <p className="mx-5 mb-3 rounded-small bg-warn-soft px-3 py-2 text-meta text-warn">
          {plural(omitted, noun)} did not fit. Raise the token limit or remove some hits.
        </p>
      )}
      {missing.length > 0 && (
        <p className="mx-5 mb-3 flex items-center justify-between gap-2 rounded-small bg-warn-soft px-3 py-2 text-meta text-warn">
          {plural(missing.length, 'hit')} no longer stored
          <Button
            size="small"
            onClick={() => changePack(({ hits }) => ({ hits: hits.filter(({ uuid }) => !missing.includes(uuid)) }))}
          >
            Remove
          </Button>
        </p>
      )}
    </>
  )
}
