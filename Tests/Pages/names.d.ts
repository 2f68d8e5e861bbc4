// Names that pages use and TypeScript's description of the browser lacks, for config/check-scripts.
declare const konza: any;
declare class OffscreenCanvas { constructor(width: number, height: number); [name: string]: any }
