import {
  createRoutedUpstreams,
  routeOf,
  type RoutedUpstreams,
  type Routing,
  type UpstreamAddresses,
} from './upstream-routes.ts'

type Closing = RoutedUpstreams & { destroy(): Promise<void> }

/** Finds the upstreams that sessions have asked for, by their ids. */
export interface OwnUpstreams {
  of(id: string): URL | null
}

/** Chooses the upstream of each request: that which its session has asked for, or else the usual ones. */
export class Routes {
  readonly #usual: Closing
  readonly #own: OwnUpstreams | null
  /** By their ids. */
  readonly #opened = new Map<string, Closing>()

  constructor(usual: URL, addresses: UpstreamAddresses | undefined, own: OwnUpstreams | null) {
    this.#usual = createRoutedUpstreams(usual, addresses)
    this.#own = own
  }

  /** `named`: the id of the upstream of its session. */
  route(path: string, headers: readonly string[], named: string | null): Routing {
    const chosen = named === null ? this.#usual : this.#ownOf(named)
    return chosen === null ? UNKNOWN : routeOf(path, headers, chosen)
  }

  async destroy(): Promise<void> {
    await Promise.all([this.#usual, ...this.#opened.values()].map((each) => each.destroy()))
  }

  #ownOf(id: string): RoutedUpstreams | null {
    const known = this.#opened.get(id)
    if (known !== undefined) return known
    const url = this.#own?.of(id) ?? null
    if (url === null) return null
    const opened = createRoutedUpstreams(url, { openai: url.href, chatgpt: url.href })
    this.#opened.set(id, opened)
    return opened
  }
}

const UNKNOWN: Routing = {
  refusal: {
    status: 403,
    type: 'permission_error',
    message: "Aspy's proxy does not know the upstream of this base URL; start the client again with aspy run.",
  },
}
