declare module 'virtual:endpoints' {
  export const rows: Readonly<
    Record<
      import('../../../shared/contract/endpoints/endpoints.ts').EndpointName,
      readonly [
        method: 'GET' | 'POST' | 'PUT' | 'DELETE',
        path: string,
        roles?: readonly import('../../../shared/contract/role-schema.ts').MemberRole[],
      ]
    >
  >
}
declare module '*.css'
declare module '*.svg' {
  const url: string
  export default url
}
