import { useMemo, useRef, type ReactNode } from 'react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ImportOffer } from '../../components/import-offer.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card, Page, PageBody } from '../../components/page.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Empty } from '../../components/states.tsx'
import { Settings } from 'lucide-react'
import { useHotkeys } from '../../lib/hotkeys.ts'
import { useQueryText } from '../../lib/use-query-text.ts'
import { ClaudeCodeCard } from './claude-code-card.tsx'
import { GuardNotes } from './guard/guard-notes.tsx'
import { useOperation } from '../../lib/operation.ts'
import type { Setting } from './queries.ts'
import { settingLabel } from './setting-labels.ts'
import { SettingRow } from './setting-row.tsx'
import { ADVANCED, COMMON } from './setting-sections.ts'
import { TeamPolicy } from './team-policy.tsx'
import { ThemePicker } from './theme-picker.tsx'

const route = getRouteApi('/settings')

const SECTIONS: Readonly<Record<string, string>> = { ...COMMON, ...ADVANCED }
const ORDER = Object.keys(SECTIONS)
/** Cards of the page that are no settings of the file. */
const CARDS = { client: 'Claude Code', theme: 'Theme', import: 'Import' } as const

/** Every setting with its description, origin and control. */
export function SettingsPage(): ReactNode {
  const settings = useOperation('config.get', {})
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [query, setQuery] = useQueryText(search.q, (q) => void navigate({ search: { q }, replace: true }))
  const input = useRef<HTMLInputElement>(null)
  useHotkeys({ '/': () => input.current?.select() })
  const sections = useMemo(() => bySection(settings.data?.items ?? [], query), [settings.data, query])
  return (
    <Page
      title="Settings"
      actions={
        <SearchBox
          inputRef={input}
          value={query}
          onChange={setQuery}
          label="Search settings"
          placeholder="Search settings"
        />
      }
    >
      {loaded({ query: settings, rows: 12 }, () => (
        <PageBody>
          <div className="mx-auto grid w-full max-w-[78rem] grid-cols-[minmax(0,1fr)] gap-x-8 min-[1100px]:grid-cols-[11rem_minmax(0,1fr)]">
            <SectionNav
              sections={[
                ...(query === '' ? Object.entries(CARDS) : []),
                ...sections.map(([section]) => [section, SECTIONS[section] ?? section] as const),
              ]}
            />
            <div className="flex min-w-0 flex-col gap-6">
              {query === '' && (
                <>
                  <div id="section-client">
                    <ClaudeCodeCard />
                  </div>
                  <div id="section-theme">
                    <ThemePicker />
                  </div>
                  <div id="section-import">
                    <Card title={CARDS.import} note="transcripts that Claude Code keeps for 30 days">
                      <div className="px-5 pb-4">
                        <ImportOffer />
                      </div>
                    </Card>
                  </div>
                </>
              )}
              {sections.map(([section, settings]) => (
                <Card
                  key={section}
                  title={SECTIONS[section] ?? section}
                  actions={
                    section === 'guard' && (
                      <Link to="/guard" className="text-small text-accent hover:underline">
                        How full the caps are
                      </Link>
                    )
                  }
                  note={section in ADVANCED ? 'advanced' : undefined}
                >
                  {section === 'guard' && (
                    <div className="px-5 pb-2">
                      <GuardNotes />
                    </div>
                  )}
                  {section === 'team' && <TeamPolicy />}
                  <ul id={`section-${section}`} className="px-5 pb-2">
                    {settings.map((setting) => (
                      <SettingRow key={setting.key} setting={setting} />
                    ))}
                  </ul>
                </Card>
              ))}
              {sections.length === 0 && (
                <Empty icon={Settings} title="No matching settings">
                  <p>Try another word. The search covers names and descriptions.</p>
                </Empty>
              )}
              {query === '' && (
                <p className="text-small text-faint">
                  Changes are written to <code className="font-mono">config.toml</code> in the data folder and keep its
                  comments. Health shows the folder.
                </p>
              )}
            </div>
          </div>
        </PageBody>
      ))}
    </Page>
  )
}

/** Leads to each section. Next to the settings if there is room, else in a row above them. */
function SectionNav({ sections }: { readonly sections: readonly (readonly [id: string, name: string])[] }) {
  return (
    <nav
      aria-label="Sections"
      className="sticky top-0 z-10 max-w-full min-w-0 self-start bg-bg py-1 max-[1100px]:min-[700px]:static min-[1100px]:py-0"
    >
      <ul className="flex gap-1 max-[700px]:fade-x min-[700px]:flex-wrap min-[1100px]:flex-col">
        {sections.map(([id, name]) => (
          <li key={id} className={id === 'proxy' ? 'min-[1100px]:mt-2 min-[1100px]:border-t min-[1100px]:pt-2' : ''}>
            <button
              type="button"
              onClick={() => {
                const place = document.getElementById(`section-${id}`)
                ;(place?.closest('section') ?? place)?.scrollIntoView()
              }}
              className="min-h-6 w-full rounded-small px-2 py-1 text-left text-small whitespace-nowrap text-soft hover:bg-hover hover:text-ink"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Settings of the desktop app, whose description begins so, are in a browser only found by a search. */
const isOfDesktop = ({ description }: Setting): boolean => /^Desktop\b/.test(description)

/** Returns matching settings by section, the common sections first. */
function bySection(settings: readonly Setting[], query: string): [string, Setting[]][] {
  const word = query.trim().toLowerCase()
  const sections = new Map<string, Setting[]>()
  for (const setting of settings) {
    if (!`${setting.key} ${settingLabel(setting.key)} ${setting.description}`.toLowerCase().includes(word)) continue
    if (word === '' && window.aspy === undefined && isOfDesktop(setting)) continue
    const section = setting.key.split('.')[0] ?? ''
    sections.set(section, [...(sections.get(section) ?? []), setting])
  }
  return [...sections].toSorted(([one], [other]) => rankOf(one) - rankOf(other))
}

/** A section that is missing here comes last. */
const rankOf = (section: string): number => (ORDER.indexOf(section) + ORDER.length + 1) % (ORDER.length + 1)
