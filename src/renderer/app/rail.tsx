import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { MOD_LABEL } from '../lib/hotkeys.ts'
import { DemoBadge } from './demo-badge.tsx'
import { HistorySwitch } from './history-switch.tsx'
import { VIEWS } from './views.ts'

/** Navigation between views. Narrow windows show only the icons. */
export function Rail({ onPalette }: { onPalette: () => void }) {
  return (
    <nav
      aria-label="Views"
      className="row-span-1 flex w-14 flex-col gap-0.5 border-r bg-sunken px-2 py-3 min-[1180px]:w-52 min-[1180px]:px-3"
    >
      <div className="mb-3 flex h-9 items-center gap-2.5 px-1.5">
        <Mark />
        <span className="hidden text-figure font-semibold tracking-tight min-[1180px]:block">Aspy</span>
      </div>
      <button
        type="button"
        onClick={onPalette}
        aria-label={`Go to… ${MOD_LABEL} K`}
        className="bar mb-3 flex h-9 max-[700px]:h-11 items-center gap-2.5 rounded-small border bg-surface px-2.5 text-faint hover:border-line-strong hover:text-ink"
      >
        <Search className="size-4 shrink-0" aria-hidden />
        <span className="hidden min-[1180px]:block">Go to…</span>
        <kbd className="ml-auto hidden font-sans text-micro min-[1180px]:block">{MOD_LABEL} K</kbd>
      </button>
      <DemoBadge />
      <HistorySwitch />
      {VIEWS.map(({ to, name, icon: Icon, about }) => (
        <Link
          key={to}
          to={to}
          title={`${name}: ${about}`}
          aria-label={name}
          className={`bar flex h-9 max-[700px]:h-11 items-center gap-2.5 rounded-small px-2.5 ${to === '/settings' ? 'mt-auto' : ''}`}
          activeProps={{ className: 'bg-accent-soft text-accent font-medium' }}
          inactiveProps={{ className: 'text-soft hover:bg-hover hover:text-ink' }}
        >
          <Icon className="size-[1.15rem] shrink-0" strokeWidth={1.9} aria-hidden />
          <span className="hidden min-[1180px]:block">{name}</span>
        </Link>
      ))}
    </nav>
  )
}

/** The logo: an asp's eye. */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-7 shrink-0" role="img" aria-label="Aspy">
      <rect width="32" height="32" rx="9" fill="var(--accent)" />
      <path
        d="M4.500 16C8 9.600 12 7 16 7s8 2.600 11.500 9C24 22.400 20 25 16 25S8 22.400 4.500 16Z"
        fill="var(--accent-ink)"
      />
      <ellipse cx="16" cy="16" rx="2.300" ry="7.200" fill="var(--accent)" />
    </svg>
  )
}
