use unisparse::formats::*; use unisparse::{Triplets, Source, Limit};
fn best(mut f: impl FnMut()->usize)->f64{ let mut b=f64::MAX; for _ in 0..60 { let s=std::time::Instant::now(); std::hint::black_box(f()); b=b.min(s.elapsed().as_secs_f64()); } b*1e9 }
fn visit<S: Source<2,Scalar=f64>>(name:&str,s:&S,n:usize){
  let all=best(||{let mut x=0usize; let mut v=0.0; s.for_each(|[i,j],a|{x=x.wrapping_add(i^j); v+=a;}); x+v as usize});
  let b=s.borders(8); let t=std::time::Instant::now(); let _=s.borders(8); let bt=t.elapsed();
  let pieces=best(||{let mut x=0usize; let mut v=0.0; for p in b.windows(2){ s.for_each_between(p[0]..p[1],|[i,j],a|{x=x.wrapping_add(i^j); v+=a;});} x+v as usize});
  println!("{name}: for_each {:.2} ns/element, in 8 pieces {:.2}, borders {bt:?}", all/n as f64, pieces/n as f64);
}
fn main(){
  let n=20000usize; let rows=2000;
  let t=Triplets::try_from_triplets([rows,3000],(0..n).map(|e|([e/10,(e*37)%3000],1.0))).unwrap();
  let a: Csr<f64>=t.convert().unwrap(); let n=a.nnz();
  let m=best(||{let mut x=0usize; let mut v=0.0; for i in 0..rows { for p in a.row_ptr()[i] as usize..a.row_ptr()[i+1] as usize { x=x.wrapping_add(i^a.col_idx()[p] as usize); v+=a.values()[p]; } } x+v as usize});
  println!("by hand {:.2}", m/n as f64);
  visit("Csr",&a,n); visit("Coo",&t.convert::<Coo<f64>>().unwrap(),n); visit("Triplets",&t,n);
  visit("Bcsr",&t.convert_within::<Bcsr<f64>>(Limit::none()).unwrap(),n);
  visit("Dia",&t.convert_within::<Dia<f64>>(Limit::none()).unwrap(),n);
  visit("Ell",&t.convert_within::<Ell<f64>>(Limit::none()).unwrap(),n);
}
