import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { EndpointName } from '../../../shared/contract/endpoints/endpoints.ts'
import { type Answered, type CallInput, call, UnreachableError } from './call.ts'

const client = new QueryClient({
  queryCache: new QueryCache(),
  mutationCache: new MutationCache(),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      gcTime: 10 * 60_000,
      // Only an unreachable service is asked again, at most 3 times. A problem is a valid answer.
      retry: (count, error) => error instanceof UnreachableError && count < 3,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Deletes all cached answers, because another person may use the page next. */
export function forgetAnswers(): void {
  client.clear()
}

export function QueryProvider({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}

type Input<Name extends EndpointName> = Omit<CallInput<Name>, 'signal'>

export interface QueryOptions {
  enabled?: boolean
  /** Milliseconds between two reads. False reads again only after an event or a write that affects the answer. */
  every?: number | false
  /** True if the previous answer stays visible while the answer to a new input loads. */
  keep?: boolean
}

export function useCall<Name extends EndpointName>(
  name: Name,
  input: Input<Name> = {},
  { enabled = true, every = false, keep = false }: QueryOptions = {},
): UseQueryResult<Answered<Name>> {
  return useQuery<Answered<Name>>({
    ...queryOf(name, input),
    enabled,
    refetchInterval: every,
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
  })
}

export function useCalls<Name extends EndpointName>(
  name: Name,
  inputs: readonly Input<Name>[],
): UseQueryResult<Answered<Name>>[] {
  return useQueries({ queries: inputs.map(input => queryOf(name, input)) })
}

function queryOf<Name extends EndpointName>(name: Name, input: Input<Name>) {
  return {
    queryKey: [name, input],
    queryFn: ({ signal }: { signal: AbortSignal }) => call(name, { ...input, signal } as CallInput<Name>),
  }
}

type Paged = { next_cursor: string | null }

export function usePages<Name extends EndpointName>(
  name: Name,
  input: Input<Name>,
  { enabled = true, every = false, keep = false }: QueryOptions = {},
) {
  return useInfiniteQuery({
    queryKey: [name, input, 'pages'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(name, {
        ...input,
        query: {
          ...(input.query as unknown as object | undefined),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      } as unknown as CallInput<Name>) as Promise<Answered<Name> & Paged>,
    getNextPageParam: last => last.next_cursor,
    enabled,
    refetchInterval: every,
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
  })
}

export function useAct<Name extends EndpointName>(
  name: Name,
  { stale = [] }: { stale?: readonly EndpointName[] } = {},
): UseMutationResult<Answered<Name>, Error, CallInput<Name>> {
  const refresh = useRefresh()
  return useMutation<Answered<Name>, Error, CallInput<Name>>({
    mutationFn: input => call(name, input),
    onSettled: () => refresh(stale),
  })
}

export function useWork<Input, Output>(
  run: (input: Input) => Promise<Output>,
): UseMutationResult<Output, Error, Input> {
  return useMutation({ mutationFn: run })
}

export function useRefresh(): (names: readonly EndpointName[]) => Promise<void> {
  const queries = useQueryClient()
  return async names => {
    await Promise.all(names.map(name => queries.invalidateQueries({ queryKey: [name] })))
  }
}
