import { Check } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Segments } from '../../components/segments.tsx'
import { Select } from '../../components/select.tsx'
import { Card } from '../../components/page.tsx'
import { chooseDensity, currentDensity, DENSITIES, DENSITY_LABELS, subscribeDensity } from '../../lib/density.ts'
import {
  chooseSystemLook,
  chooseTheme,
  currentTheme,
  subscribeTheme,
  SYSTEM_LOOKS,
  systemLook,
  THEME_LABELS,
  THEMES,
  type Theme,
} from '../../lib/theme.ts'

/** Selects the theme, with a sample of each. */
export function ThemePicker() {
  const chosen = useSyncExternalStore(subscribeTheme, currentTheme)
  const lightLook = useSyncExternalStore(subscribeTheme, () => systemLook('light'))
  const darkLook = useSyncExternalStore(subscribeTheme, () => systemLook('dark'))
  const density = useSyncExternalStore(subscribeDensity, currentDensity)
  return (
    <Card title="Theme" note="of this browser">
      <div
        role="radiogroup"
        aria-label="Theme"
        className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-3 px-5 pb-5"
      >
        {THEMES.map((theme) => (
          <label
            key={theme}
            className={`bar relative cursor-pointer overflow-hidden rounded-medium border has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent ${
              theme === chosen ? 'border-accent ring-1 ring-accent' : 'hover:border-line-strong'
            }`}
          >
            <input
              type="radio"
              name="theme"
              className="absolute opacity-0"
              checked={theme === chosen}
              onChange={() => chooseTheme(theme)}
            />
            <span className="flex h-16">
              {(theme === 'system' ? ([lightLook, darkLook] as const) : [theme]).map((look) => (
                <Sample key={look} look={look} />
              ))}
            </span>
            <span className="flex items-center justify-between border-t px-3 py-1.5 text-small">
              {THEME_LABELS[theme]}
              {theme === chosen && <Check className="size-4 text-accent" aria-hidden />}
            </span>
          </label>
        ))}
      </div>
      {chosen === 'system' && (
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-t px-5 py-3 text-small">
          <SystemLook brightness="light" label="While the system is light" />
          <SystemLook brightness="dark" label="While the system is dark" />
        </div>
      )}
      <div className="flex items-center gap-3 border-t px-5 py-3 text-small">
        <span aria-hidden>Density</span>
        <Segments
          label="Density"
          options={DENSITIES.map((value) => ({ value, name: DENSITY_LABELS[value] }))}
          value={density}
          onChange={chooseDensity}
        />
      </div>
    </Card>
  )
}

function SystemLook({ brightness, label }: { brightness: 'light' | 'dark'; label: string }) {
  const look = useSyncExternalStore(subscribeTheme, () => systemLook(brightness))
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden>{label}</span>
      <Select
        label={label}
        value={look}
        onChange={(theme) => chooseSystemLook(brightness, theme)}
        options={SYSTEM_LOOKS[brightness].map((theme) => [theme, THEME_LABELS[theme]] as const)}
      />
    </span>
  )
}

const SAMPLES: Readonly<Record<Exclude<Theme, 'system'>, readonly [string, string, string]>> = {
  light: ['#f4f4f1', '#1d1d1f', '#4f46c8'],
  dark: ['#0f0f12', '#ececf1', '#a5a0ff'],
  'solarized-light': ['#fdf6e3', '#073642', '#1a6aa6'],
  'solarized-dark': ['#002b36', '#eee8d5', '#6cb8ee'],
}

function Sample({ look }: { look: Exclude<Theme, 'system'> }) {
  const [background, ink, accent] = SAMPLES[look]
  return (
    <span className="flex flex-1 flex-col justify-center gap-2 px-4" style={{ background }} aria-hidden>
      <span className="h-1.5 w-3/4 rounded-full" style={{ background: ink }} />
      <span className="h-1.5 w-1/2 rounded-full opacity-60" style={{ background: ink }} />
      <span className="h-1.5 w-1/3 rounded-full" style={{ background: accent }} />
    </span>
  )
}
